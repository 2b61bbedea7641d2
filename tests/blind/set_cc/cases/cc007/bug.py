from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class TrainConfig:
    steps: int = 6
    lr: float = 1e-3
    ema_decay: float = 0.99
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters() if p.requires_grad}

    @torch.no_grad()
    def update(self, model):
        for name, param in model.named_parameters():
            if name in self.shadow:
                self.shadow[name].lerp_(param, 1 - self.decay)

    def state_dict(self):
        return {"decay": self.decay, "shadow": self.shadow}


class ScoreNet(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim + 1, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, sigma):
        return self.body(torch.cat([x, sigma.log()], dim=1)) / sigma


class Trainer:
    def __init__(self, model, cfg):
        self.cfg = cfg
        self.ema = EMA(model, cfg.ema_decay)
        self.model = model.to(cfg.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.step = 0

    def loss(self, x):
        sigma = torch.empty(len(x), 1, device=x.device).uniform_(0.05, 2.0)
        noise = torch.randn_like(x)
        score = self.model(x + sigma * noise, sigma)
        return (sigma * score + noise).pow(2).mean()

    def train_step(self, x):
        loss = self.loss(x.to(self.cfg.device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.ema.update(self.model)
        self.step += 1
        return loss.item()

    def run(self):
        for _ in range(self.cfg.steps):
            last = self.train_step(torch.randn(32, 8))
        return last


if __name__ == "__main__":
    trainer = Trainer(ScoreNet(), TrainConfig())
    print(f"{trainer.run():.4f} after {trainer.step} steps, {len(trainer.ema.state_dict()['shadow'])} averaged")
