"""A network split in stages; every stage runs on the device it was given."""
from typing import List, Sequence

import torch
from torch import nn


def available_devices(wanted: int) -> List[torch.device]:
    if torch.cuda.is_available():
        count = torch.cuda.device_count()
        return [torch.device("cuda", i % count) for i in range(wanted)]
    return [torch.device("cpu")] * wanted


class Stage(nn.Module):
    def __init__(self, layers: Sequence[nn.Module], device: torch.device):
        super().__init__()
        self.layers = nn.Sequential(*layers).to(device)

    @property
    def device(self):
        return next(self.layers.parameters()).device

    def forward(self, x):
        return self.layers(x.to(self.device))


class Pipeline(nn.Module):
    def __init__(self, width=16, depth=4, stages=2):
        super().__init__()
        devices = available_devices(stages)
        blocks = [nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth)]
        per = depth // stages
        self.stages = nn.ModuleList(
            Stage(blocks[i * per : (i + 1) * per], dev) for i, dev in enumerate(devices)
        )
        self.head = nn.Linear(width, 3).to(devices[-1])

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.head(x)


def train(model, steps=3):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    for _ in range(steps):
        x, y = torch.randn(8, 16), torch.randint(0, 3, (8,))
        out = model(x)
        loss = criterion(out, y.to(out.device))
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    train(Pipeline())
