import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def net(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))


class Distiller:
    def __init__(self, teacher, student, T=3.0, alpha=0.7):
        self.teacher, self.student = teacher.eval(), student
        self.T, self.alpha = T, alpha
        self.opt = torch.optim.Adam(student.parameters(), lr=1e-3)

    @torch.inference_mode()
    def soft_targets(self, x):
        logits = self.teacher(x)
        return F.softmax(logits / self.T, dim=1)

    def step(self, x, y):
        soft = self.soft_targets(x)
        logits = self.student(x)
        log_p = F.log_softmax(logits / self.T, dim=1)
        kd = -(soft * log_p).sum(1).mean() * self.T**2
        loss = self.alpha * kd + (1 - self.alpha) * F.cross_entropy(logits, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


data = TensorDataset(torch.randn(64, 10), torch.randint(0, 4, (64,)))
distiller = Distiller(net(64).to(device), net(16).to(device))
for epoch in range(2):
    losses = [distiller.step(x.to(device), y.to(device)) for x, y in DataLoader(data, 16, shuffle=True)]
    print(epoch, torch.stack(losses).mean().item())
