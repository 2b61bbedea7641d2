import argparse
from types import SimpleNamespace

import torch
from torch import nn


class DeviceMixin:
    @property
    def device(self):
        return next(self.parameters()).device


class PatchEncoder(DeviceMixin, nn.Module):
    def __init__(self, patches, dim, mask_ratio=0.5):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(1, patches, dim))
        self.mask_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.enc = nn.Linear(dim, dim)
        self.dec = nn.Linear(dim, dim)
        self.mask_ratio = mask_ratio
        nn.init.trunc_normal_(self.pos, std=0.02)

    def random_mask(self, b, n):
        keep = int(n * (1 - self.mask_ratio))
        order = torch.rand(b, n, device=self.device).argsort(dim=1)
        return order[:, :keep], order.argsort(dim=1), keep

    def forward(self, x):
        x = x.to(self.device)
        b, n, d = x.shape
        ids_keep, restore, keep = self.random_mask(b, n)
        tokens = (x + self.pos).gather(1, ids_keep.unsqueeze(-1).expand(-1, -1, d))
        h = self.enc(tokens)
        full = torch.cat([h, self.mask_token.expand(b, n - keep, d)], dim=1)
        full = full.gather(1, restore.unsqueeze(-1).expand(-1, -1, d))
        mask = torch.ones(b, n, device=self.device)
        mask[:, :keep] = 0
        mask = mask.gather(1, restore)
        err = (self.dec(full + self.pos) - x).pow(2).mean(-1)
        return (err * mask).sum() / mask.sum()


def parse(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--device", default=None)
    a = p.parse_args(argv)
    return SimpleNamespace(steps=a.steps, device=a.device or ("cuda" if torch.cuda.is_available() else "cpu"))


def main():
    cfg = parse()
    model = PatchEncoder(8, 6).to(cfg.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    for _ in range(cfg.steps):
        loss = model(torch.randn(3, 8, 6))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
