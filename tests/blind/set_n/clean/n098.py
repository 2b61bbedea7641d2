import math
import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        w = base.weight
        self.A = nn.Parameter(torch.empty(rank, base.in_features, device=w.device, dtype=w.dtype))
        self.B = nn.Parameter(torch.zeros(base.out_features, rank, device=w.device, dtype=w.dtype))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scale

    @torch.no_grad()
    def merged(self):
        self.base.weight += self.scale * self.B @ self.A
        return self.base


def inject(model, names):
    for name, child in list(model.named_children()):
        if name in names and isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child))
        else:
            inject(child, names)
    return model


def merge(model):
    for name, child in list(model.named_children()):
        if isinstance(child, LoRALinear):
            setattr(model, name, child.merged())
        else:
            merge(child)
    return model


class Block(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.query, self.value, self.out = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        a = (self.query(x) @ x.mT / 8 ** 0.5).softmax(-1)
        return x + self.out(a @ self.value(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(Block(), Block()).to(device).requires_grad_(False)
inject(model, {"query", "value"})
trainable = {n: p for n, p in model.named_parameters() if p.requires_grad}
opt = torch.optim.AdamW(trainable.values(), lr=1e-2)
for _ in range(3):
    x = torch.randn(2, 5, 8, device=device)
    loss = (model(x) - x.flip(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
x = torch.randn(1, 5, 8, device=device)
with torch.no_grad():
    before = model(x)
    after = merge(model)(x)
print((before - after).abs().max().item())
