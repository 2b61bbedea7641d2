import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from batches import PairedViews, to_device


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.GELU()]
    return nn.Sequential(*layers[:-1])


class Distiller:
    def __init__(self, teacher, student, device, temperature=3.0, alpha=0.5):
        self.device = device
        self.teacher = teacher.to(device).eval().requires_grad_(False)
        self.student = student.to(device)
        self.T, self.alpha = temperature, alpha
        self.optimizer = torch.optim.AdamW(self.student.parameters(), lr=1e-3)

    @torch.no_grad()
    def soft_targets(self, features):
        return F.softmax(self.teacher(features) / self.T, dim=-1)

    def step(self, batch):
        batch = to_device(batch, self.device)
        logits = self.student(batch["student"])
        soft = self.soft_targets(batch["teacher"]["features"])
        kd = F.kl_div(F.log_softmax(logits / self.T, -1), soft, reduction="batchmean") * self.T ** 2
        ce = F.cross_entropy(logits, batch["label"])
        loss = self.alpha * kd + (1 - self.alpha) * ce
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    runner = Distiller(mlp(40, 64, 6), mlp(12, 32, 6), device)
    for epoch in range(2):
        losses = [runner.step(b) for b in DataLoader(PairedViews(), batch_size=16)]
        print(epoch, sum(losses) / len(losses))
