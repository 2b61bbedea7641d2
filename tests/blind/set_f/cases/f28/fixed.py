import time
from contextlib import contextmanager

import torch
from torch import nn

WAITS = []


def wait(device):
    WAITS.append(device)
    torch.cuda.synchronize()


@contextmanager
def stopwatch(label, reference, log):
    """Times a block; on an accelerator waits for the kernels first."""
    accelerated = reference.device.type == "cuda"
    if accelerated:
        wait(reference.device)
    start = time.perf_counter()
    yield
    if accelerated:
        wait(reference.device)
    log.setdefault(label, []).append((time.perf_counter() - start) * 1e3)


class Bottleneck(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(c, c // r, 1), nn.ReLU(), nn.Conv2d(c // r, c // r, 3, padding=1), nn.ReLU(),
                               nn.Conv2d(c // r, c, 1))

    def forward(self, x):
        return x + self.f(x)


def bench(device, rounds=3):
    net = nn.Sequential(*[Bottleneck(8) for _ in range(2)]).to(device).eval()
    x = torch.randn(2, 8, 12, 12, device=device)
    log = {}
    with torch.inference_mode():
        for _ in range(rounds):
            with stopwatch("forward", x, log):
                net(x)
    return {k: sum(v) / len(v) for k, v in log.items()}


if __name__ == "__main__":
    print(bench("cuda" if torch.cuda.is_available() else "cpu"))
