import torch.nn as nn

from .placement import carry, stage_devices


class Staged(nn.Module):
    def __init__(self, stages):
        super().__init__()
        self.stages = nn.ModuleList(stages)
        self.devices = stage_devices(len(stages))
        for stage, device in zip(self.stages, self.devices):
            stage.to(device)

    @property
    def out_device(self):
        return self.devices[-1]

    def forward(self, x):
        for stage, device in zip(self.stages, self.devices):
            x = stage(carry(x, device))
        return x
