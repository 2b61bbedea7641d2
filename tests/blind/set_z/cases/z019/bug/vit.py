import math

import torch
from torch import nn


class PatchEmbed(nn.Module):
    def __init__(self, size=8, patch=4, dim=16):
        super().__init__()
        self.num_patches = (size // patch) ** 2
        self.proj = nn.Conv2d(3, dim, patch, patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, size=8, patch=4, dim=16, depth=1, classes=5, device=None):
        super().__init__()
        self.patch_embed = PatchEmbed(size, patch, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True, dropout=0.0) for _ in range(depth))
        self.head = nn.Linear(dim, classes)
        self.apply(self._init)
        self.to(device)
        self.pos_embed = nn.Parameter(0.02 * torch.randn(1, self.patch_embed.num_patches, dim)).to(device)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            nn.init.trunc_normal_(m.weight, std=0.02)
            nn.init.zeros_(m.bias)

    def no_weight_decay(self):
        return {"pos_embed"}

    def forward(self, x):
        x = self.patch_embed(x) + self.pos_embed
        for blk in self.blocks:
            x = blk(x)
        return self.head(x.mean(1))
