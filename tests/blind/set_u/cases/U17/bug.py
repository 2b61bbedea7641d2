from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    tasks: dict = field(default_factory=lambda: {"depth": 1, "normal": 3, "seg": 5})
    weights: dict = field(default_factory=lambda: {"depth": 1.0, "normal": 0.5, "seg": 2.0})
    width: int = 32
    lr: float = 1e-2
    steps: int = 4


class MultiHead(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, cfg.width), nn.ReLU(), nn.Linear(cfg.width, cfg.width), nn.ReLU())
        self.heads = nn.ModuleDict({k: nn.Linear(cfg.width, n) for k, n in cfg.tasks.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}


class MultiTaskLoss:
    def __init__(self, weights, device):
        self.names = list(weights)
        self.weights = torch.tensor([weights[n] for n in self.names], device=device)
        self.device = device

    def parts(self, out, tgt):
        yield F.l1_loss(out["depth"].squeeze(-1), tgt["depth"])
        yield 1 - F.cosine_similarity(out["normal"], tgt["normal"]).mean()
        yield F.cross_entropy(out["seg"], tgt["seg"])

    def __call__(self, out, tgt):
        losses = torch.tensor([p.item() for p in self.parts(out, tgt)], device=self.device, requires_grad=True)
        return (losses * self.weights).sum(), dict(zip(self.names, losses.tolist()))


cfg = Config()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MultiHead(cfg).to(device)
criterion = MultiTaskLoss(cfg.weights, device)
optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
for step in range(cfg.steps):
    x = torch.randn(16, 10, device=device)
    target = {
        "depth": torch.rand(16, device=device),
        "normal": F.normalize(torch.randn(16, 3, device=device), dim=1),
        "seg": torch.randint(0, 5, (16,), device=device),
    }
    total, logs = criterion(model(x), target)
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(step, {k: round(v, 3) for k, v in logs.items()})
