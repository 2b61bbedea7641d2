import torch.nn as nn


class MixerBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 2 * dim)
        self.act = nn.GELU()
        self.down = nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Backbone(nn.Module):
    def __init__(self, dim=16, depth=2, classes=5):
        super().__init__()
        self.blocks = nn.Sequential(*[MixerBlock(dim) for _ in range(depth)])
        self.classifier = nn.Linear(dim, classes)

    def forward(self, x):
        return self.classifier(self.blocks(x).mean(dim=1))
