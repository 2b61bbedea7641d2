"""Low-rank adapters put into an existing network, merged and split again."""
import argparse
import math
from typing import Iterable, List

import torch
from torch import nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank=2, alpha=4.0, dropout=0.0):
        super().__init__()
        self.base = base
        self.scaling = alpha / rank
        self.drop = nn.Dropout(dropout)
        factory = {"device": base.weight.device, "dtype": base.weight.dtype}
        self.A = nn.Parameter(torch.empty(rank, base.in_features, **factory))
        self.B = nn.Parameter(torch.zeros(base.out_features, rank, **factory))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.merged = False

    def delta(self):
        return self.scaling * (self.B @ self.A)

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.base.weight.add_(self.delta())
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.sub_(self.delta())
            self.merged = False

    def forward(self, x):
        y = self.base(x)
        if self.merged:
            return y
        return y + self.scaling * F.linear(F.linear(self.drop(x), self.A), self.B)


def inject(model: nn.Module, names: Iterable[str], **kwargs) -> List[LoRALinear]:
    model.requires_grad_(False)
    made = []
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and name.rsplit(".", 1)[-1] in set(names):
            parent = model.get_submodule(name.rpartition(".")[0])
            wrapped = LoRALinear(module, **kwargs)
            setattr(parent, name.rpartition(".")[2], wrapped)
            made.append(wrapped)
    return made


def trainable_state(model):
    wanted = {n for n, p in model.named_parameters() if p.requires_grad}
    return {k: v.cpu() for k, v in model.state_dict().items() if k in wanted}


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.v, self.o = (nn.Linear(dim, dim) for _ in range(3))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        h = self.norm(x)
        att = (self.q(h) @ h.transpose(1, 2)).softmax(-1)
        return x + self.o(att @ self.v(h))


class Base(nn.Module):
    def __init__(self, dim=8, depth=2, classes=3):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rank", type=int, default=2)
    p.add_argument("--steps", type=int, default=3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Base().to(device)
    layers = inject(model, ["q", "v"], rank=args.rank)
    model.head.requires_grad_(True)
    params = [q for q in model.parameters() if q.requires_grad]
    print(f"{sum(q.numel() for q in params)} of {sum(q.numel() for q in model.parameters())} trainable")
    opt = torch.optim.AdamW(params, lr=1e-2)
    model.train()
    for step in range(args.steps):
        x, y = torch.randn(4, 5, 8, device=device), torch.randint(0, 3, (4,), device=device)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    model.eval()
    with torch.no_grad():
        before = model(x)
        for layer in layers:
            layer.merge()
        after = model(x)
    print((before - after).abs().max().item(), len(trainable_state(model)))


if __name__ == "__main__":
    main()
