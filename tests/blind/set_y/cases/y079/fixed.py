import time
from contextlib import nullcontext

import torch
from torch import nn


class Timer:
    def __init__(self, device):
        self.device, self.syncs, self.laps = device, 0, []

    def _sync(self):
        if self.device.type == "cuda":
            self.syncs += 1
            torch.cuda.synchronize(self.device)

    def __enter__(self):
        self._sync()
        self.start = time.perf_counter()
        return self

    def __exit__(self, *exc):
        self._sync()
        self.laps.append(time.perf_counter() - self.start)
        return False


class SeparableNet(nn.Module):
    def __init__(self, ch=8, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1, groups=ch), nn.Conv2d(ch, ch, 1), nn.ReLU()) for _ in range(depth)
        )

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x.mean(dim=(2, 3))


def benchmark(model, device, runs=4, grad=False):
    timer = Timer(device)
    x = torch.randn(2, 8, 12, 12, device=device)
    with nullcontext() if grad else torch.no_grad():
        for _ in range(runs):
            with timer:
                out = model(x)
                if grad:
                    out.sum().backward()
    model.zero_grad()
    return timer


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = SeparableNet().to(device)
for mode in (False, True):
    timer = benchmark(net, device, grad=mode)
    print("backward" if mode else "forward", f"{1e3 * sum(timer.laps) / len(timer.laps):.2f} ms")
