from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F

cfg = SimpleNamespace(
    device=torch.device("cuda" if torch.cuda.is_available() else "cpu"),
    lr=1e-3,
    clip=1.0,
    steps=4,
    dim=12,
)


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=12):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.token = nn.Linear(tokens, tokens)
        self.channel = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        x = x + self.token(self.norm(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channel(self.norm(x))
        return self.head(x.mean(1))


def update(optimizer, model, clip):
    norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.zero_grad(set_to_none=True)
    optimizer.step()
    return norm


model = Mixer(dim=cfg.dim).to(cfg.device)
before = [p.detach().clone() for p in model.parameters()]
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.0)
for step in range(cfg.steps):
    x = torch.randn(8, 6, cfg.dim, device=cfg.device)
    y = (x[:, 0, 0] > 0).long()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    norm = update(optimizer, model, cfg.clip)
    print(f"step {step} loss {loss.item():.4f} grad norm {norm.item():.3f}")
