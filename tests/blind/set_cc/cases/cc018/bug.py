import argparse
import math

import torch
from torch import nn

parser = argparse.ArgumentParser(description="low rank adaptation of a frozen network")
parser.add_argument("--rank", type=int, default=8)
parser.add_argument("--alpha", type=float, default=16)
parser.add_argument("--lr", type=float, default=1e-3)
opts = parser.parse_args()


class LoRALinear(nn.Module):
    def __init__(self, base, rank, alpha):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scale = alpha / rank
        self.lora_a = nn.Parameter(torch.empty(rank, base.in_features))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def forward(self, x):
        return self.base(x) + (x @ self.lora_a.T @ self.lora_b.T) * self.scale


def inject(module, rank, alpha):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LoRALinear(child, rank, alpha))
        else:
            inject(child, rank, alpha)
    return module


backbone = nn.Sequential(nn.Embedding(60, 32), nn.Flatten(), nn.Linear(32 * 6, 64), nn.GELU(), nn.Linear(64, 60))
for p in backbone.parameters():
    p.requires_grad_(False)
model = inject(backbone, opts.rank, opts.alpha)

trainable = (p for p in model.parameters() if p.requires_grad)
n_train = sum(p.numel() for p in trainable)
n_all = sum(p.numel() for p in model.parameters())
print(f"trainable {n_train:,} of {n_all:,} ({100 * n_train / n_all:.2f}%)")

optimizer = torch.optim.AdamW(trainable, lr=opts.lr, weight_decay=0.0)
criterion = nn.CrossEntropyLoss()
for step in range(4):
    ids = torch.randint(0, 60, (16, 7))
    loss = criterion(model(ids[:, :6]), ids[:, 6])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
