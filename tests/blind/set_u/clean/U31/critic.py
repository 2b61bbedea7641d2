import torch
import torch.nn as nn
import torch.nn.functional as F


class Growing(nn.Module):
    """Decoder whose resolution doubles each time a stage is added."""

    def __init__(self, zdim=8, width=16):
        super().__init__()
        self.width = width
        self.stem = nn.Linear(zdim, width * 16)
        self.stages = nn.ModuleList()
        self.to_rgb = nn.Conv2d(width, 3, 1)

    def add_stage(self):
        weight = self.to_rgb.weight
        stage = nn.Sequential(
            nn.Conv2d(self.width, self.width, 3, padding=1),
            nn.GroupNorm(4, self.width),
            nn.SiLU(),
        ).to(device=weight.device, dtype=weight.dtype)
        self.stages.append(stage)
        return list(stage.parameters())

    def forward(self, z):
        x = self.stem(z).view(-1, self.width, 4, 4)
        for stage in self.stages:
            x = stage(F.interpolate(x, scale_factor=2))
        return torch.tanh(self.to_rgb(x))
