import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial


def convnet(width, classes=4):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
        nn.Conv2d(width, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes),
    )


def kd_loss(student, teacher, labels, temperature=4.0, alpha=0.7):
    soft = F.kl_div(
        F.log_softmax(student / temperature, 1),
        F.log_softmax(teacher / temperature, 1),
        reduction="batchmean", log_target=True,
    )
    return alpha * temperature ** 2 * soft + (1 - alpha) * F.cross_entropy(student, labels)


class Distiller(nn.Module):
    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self.teacher = teacher
        self.teacher.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x):
        student = self.student(x)
        if not self.training:
            return student
        return student, self.teacher(x)


def param_groups(module, decay):
    yes, no = [], []
    for p in module.parameters():
        if p.requires_grad:
            (no if p.ndim < 2 else yes).append(p)
    return [{"params": yes, "weight_decay": decay}, {"params": no, "weight_decay": 0.0}]


def step(model, optimizer, criterion, x, y):
    model.train()
    student, teacher = model(x)
    loss = criterion(student, teacher, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Distiller(convnet(8), convnet(24)).to(device)
    optimizer = torch.optim.AdamW(param_groups(model, 0.05), lr=1e-3)
    criterion = partial(kd_loss, temperature=2.0)
    losses = []
    for _ in range(3):
        x = torch.randn(8, 3, 16, 16, device=device)
        y = torch.randint(0, 4, (8,), device=device)
        losses.append(step(model, optimizer, criterion, x, y))
    print(torch.stack(losses).tolist())
    model.eval()
    with torch.inference_mode():
        out = model(torch.randn(2, 3, 16, 16, device=device))
    print(out.argmax(1).tolist())


if __name__ == "__main__":
    main()
