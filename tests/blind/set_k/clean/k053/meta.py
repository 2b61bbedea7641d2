from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

from inner import adapt


@dataclass
class Config:
    inner_lr: float = 0.05
    inner_steps: int = 2
    tasks: int = 4
    outer_steps: int = 4
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class SineTask:
    def __init__(self):
        self.amplitude = 0.5 + torch.rand(1) * 4
        self.phase = torch.rand(1) * 3.14

    def draw(self, n, device):
        x = torch.rand(n, 1) * 10 - 5
        y = self.amplitude * torch.sin(x + self.phase)
        return x.to(device), y.to(device)


def main():
    cfg = Config()
    model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1)).to(cfg.device)
    outer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for it in range(cfg.outer_steps):
        losses = []
        for task in (SineTask() for _ in range(cfg.tasks)):
            fast = adapt(model, F.mse_loss, task.draw(10, cfg.device), cfg.inner_lr, cfg.inner_steps)
            x, y = task.draw(10, cfg.device)
            losses.append(F.mse_loss(functional_call(model, fast, (x,)), y))
        loss = torch.stack(losses).mean()
        outer.zero_grad()
        loss.backward()
        outer.step()
        print(it, f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
