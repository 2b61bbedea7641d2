"""Transformer whose blocks are recomputed in the backward pass."""
from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, dim, drop=0.1):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mix = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * dim, dim))

    def forward(self, x, scale):
        x = x + scale * self.mix(self.n1(x)).roll(1, dims=1)
        return x + self.ff(self.n2(x))


class Encoder(nn.Module):
    def __init__(self, vocab=40, dim=16, depth=4, save_memory=True):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.scales = nn.Parameter(torch.ones(depth))
        self.out = nn.Linear(dim, vocab)
        self.save_memory = save_memory

    def run_block(self, block, x, scale):
        if self.save_memory and self.training:
            return checkpoint(block, x, scale, use_reentrant=False)
        return block(x, scale)

    def forward(self, ids):
        x = self.embed(ids)
        for block, scale in zip(self.blocks, self.scales):
            x = self.run_block(block, x, scale)
        return self.out(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Encoder().to(device)
    net.embed.requires_grad_(False)
    make = partial(torch.randint, 0, 40, (2, 9), device=device)
    opt = torch.optim.AdamW((p for p in net.parameters() if p.requires_grad), lr=1e-3)
    for _ in range(3):
        net.train()
        ids = make()
        loss = nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(net(make()).shape)


if __name__ == "__main__":
    main()
