import math
import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        w = base.weight
        self.down = nn.Parameter(torch.empty(rank, w.size(1), device=w.device, dtype=w.dtype))
        self.up = nn.Parameter(w.new_zeros(w.size(0), rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x):
        y = self.base(x)
        if self.merged:
            return y
        return y + self.scale * (x @ self.down.t()) @ self.up.t()

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.base.weight += self.scale * self.up @ self.down
            self.merged = True
        return self


def inject(module, names):
    for n, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and n in names:
            setattr(module, n, LoRA(child))
        else:
            inject(child, names)
    return module


class Block(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.norm, self.q, self.v, self.o = nn.LayerNorm(d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        h = self.norm(x)
        a = (self.q(h) @ h.mT / h.size(-1) ** 0.5).softmax(-1)
        return x + self.o(a @ self.v(h))


dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(Block(), Block()).to(dev).requires_grad_(False)
inject(net, {"q", "v"})
trainable = [p for p in net.parameters() if p.requires_grad]
print(sum(p.numel() for p in trainable), "of", sum(p.numel() for p in net.parameters()))
opt = torch.optim.AdamW(trainable, lr=1e-2, weight_decay=0.0)
for _ in range(3):
    x = torch.randn(4, 5, 12, device=dev)
    loss = (net(x) - x.roll(1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    before = net(x)
    for m in net.modules():
        if isinstance(m, LoRA):
            m.merge()
    print((net(x) - before).abs().max().item())
