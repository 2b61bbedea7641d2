from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEConfig:
    dim: int = 12
    hidden: int = 24
    experts: int = 4
    top: int = 2
    tasks: tuple = ("click", "buy")


class Expert(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.up = nn.Linear(cfg.dim, cfg.hidden)
        self.down = nn.Linear(cfg.hidden, cfg.dim)

    def forward(self, x):
        return self.down(F.silu(self.up(x)))


class MMoE(nn.Module):
    """Multi-gate mixture of experts for several ranking goals."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.experts = nn.ModuleList(Expert(cfg) for _ in range(cfg.experts))
        self.gates = nn.ModuleDict({t: nn.Linear(cfg.dim, cfg.experts) for t in cfg.tasks})
        self.towers = nn.ModuleDict({t: nn.Sequential(nn.LayerNorm(cfg.dim), nn.Linear(cfg.dim, 1)) for t in cfg.tasks})

    def mix(self, task, x, outs):
        weight, which = self.gates[task](x).topk(self.cfg.top, dim=-1)
        weight = weight.softmax(-1).unsqueeze(-1)
        picked = outs.gather(1, which.unsqueeze(-1).expand(-1, -1, x.size(-1)))
        return (weight * picked).sum(1)

    def forward(self, x):
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return {t: tower(self.mix(t, x, outs)).squeeze(-1) for t, tower in self.towers.items()}


class RankingData:
    def __init__(self, dim, device="cpu"):
        self.w = torch.randn(2, dim)
        self.device = device

    def batch(self, n=32):
        x = torch.randn(n, self.w.size(1))
        logits = x @ self.w.t()
        click = torch.bernoulli(logits[:, 0].sigmoid())
        buy = click * torch.bernoulli(logits[:, 1].sigmoid())
        return x.to(self.device), {"click": click.to(self.device), "buy": buy.to(self.device)}


def main():
    torch.manual_seed(0)
    cfg = MoEConfig()
    data, model = RankingData(cfg.dim), MMoE(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(6):
        x, target = data.batch()
        out = model(x)
        losses = {t: F.binary_cross_entropy_with_logits(out[t], target[t]) for t in cfg.tasks}
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print({t: l.item() for t, l in losses.items()})
    return model


if __name__ == "__main__":
    model = main()
