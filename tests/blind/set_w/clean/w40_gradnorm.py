"""Distillation with a gradient-norm balance between the hint loss and the task loss."""
import torch
from torch import nn
import torch.nn.functional as F


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.shared = nn.Linear(16, 12)
        self.adapt = nn.Linear(12, 32)
        self.out = nn.Linear(12, 4)

    def forward(self, x):
        h = torch.relu(self.shared(self.low(x)))
        return self.out(h), self.adapt(h)


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        f = self.feat(x)
        return self.out(f), f


def main(steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    student, teacher = Student().to(device), Teacher().to(device).eval()
    weights = torch.ones(2, device=device, requires_grad=True)
    opt = torch.optim.Adam(student.parameters(), 1e-3)
    opt_w = torch.optim.Adam([weights], 1e-2)
    first = None
    for _ in range(steps):
        x = torch.randn(32, 10, device=device)
        y = torch.randint(0, 4, (32,), device=device)
        with torch.no_grad():
            t_logits, t_feat = teacher(x)
        logits, hint = student(x)
        task = F.cross_entropy(logits, y) + F.kl_div(logits.log_softmax(1), t_logits.softmax(1), reduction="batchmean")
        parts = torch.stack([task, F.mse_loss(hint, t_feat)])
        if first is None:
            first = parts.detach()

        opt.zero_grad()
        (weights.detach() * parts).sum().backward(retain_graph=True)

        norms = torch.stack([
            torch.autograd.grad(w * p, student.shared.weight, retain_graph=True, create_graph=True)[0].norm()
            for w, p in zip(weights, parts)
        ])
        rate = parts.detach() / first
        goal = (norms.mean() * (rate / rate.mean()) ** 0.5).detach()
        weights.grad = torch.autograd.grad((norms - goal).abs().sum(), weights)[0]

        opt.step()
        opt_w.step()
        with torch.no_grad():
            weights.mul_(2 / weights.sum())
    print(weights.detach().cpu().tolist())


main()
