import torch
import torch.nn as nn
import torch.nn.functional as F

from schedule import CosineSchedule


class EpsNet(nn.Module):
    def __init__(self, steps, width=32):
        super().__init__()
        self.when = nn.Embedding(steps, width)
        self.inp = nn.Linear(2, width)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.when(t))


class DiffusionTrainer:
    def __init__(self, schedule, lr=1e-3):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.schedule = schedule
        self.net = EpsNet(schedule.steps).to(self.device)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=lr)

    def step(self, x0):
        x0 = x0.to(self.device)
        noise = torch.randn_like(x0)
        t = self.schedule.draw(len(x0), self.device)
        noisy = self.schedule.add_noise(x0, noise, t)
        loss = F.mse_loss(self.net(noisy, t), noise)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def spiral(n):
    r = torch.rand(n)
    return torch.stack([r * torch.cos(9 * r), r * torch.sin(9 * r)], dim=1)


if __name__ == "__main__":
    trainer = DiffusionTrainer(CosineSchedule(50))
    for it in range(6):
        print(it, round(trainer.step(spiral(64)), 4))
