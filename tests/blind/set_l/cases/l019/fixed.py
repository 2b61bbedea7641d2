from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    in_dim: int = 16
    emb_dim: int = 8
    n_proto: int = 5
    steps: int = 5
    device: torch.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PrototypeNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(cfg.in_dim, 32), nn.ReLU(), nn.Linear(32, cfg.emb_dim))
        self.prototypes = nn.Parameter(torch.randn(cfg.n_proto, cfg.emb_dim, device=cfg.device))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        z = F.normalize(self.embed(x), dim=1)
        p = F.normalize(self.prototypes, dim=1)
        return self.log_scale.exp() * z @ p.t()


def fit(model, cfg):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim < 2 else decay).append(p)
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 1e-2}, {"params": no_decay, "weight_decay": 0.0}], lr=1e-2)
    for _ in range(cfg.steps):
        y = torch.randint(0, cfg.n_proto, (32,), device=cfg.device)
        x = torch.randn(32, cfg.in_dim, device=cfg.device) + y.unsqueeze(1)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


cfg = Config()
model = PrototypeNet(cfg).to(cfg.device)
print("final", fit(model, cfg))
