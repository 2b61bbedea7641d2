# latency benchmark of a few image backbones
import statistics
import time

import torch
from torch import nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
IS_CUDA = DEVICE.type == "cuda"


def conv_bn(i, o, s, g=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, groups=g, bias=False), nn.BatchNorm2d(o), nn.ReLU6(inplace=True))


def separable(i, o, s):
    return nn.Sequential(conv_bn(i, i, s, g=i), nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o))


def tiny_mobile():
    return nn.Sequential(conv_bn(3, 8, 2), separable(8, 16, 1), separable(16, 24, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 10))


def tiny_plain():
    return nn.Sequential(conv_bn(3, 16, 2), conv_bn(16, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def synchronize():
    if IS_CUDA:
        torch.cuda.synchronize()


def peak_memory():
    if not IS_CUDA:
        return float("nan")
    return torch.cuda.max_memory_allocated() / 2 ** 20


@torch.no_grad()
def benchmark(build, batch=4, size=24, warmup=1, repeats=3):
    net = build().to(DEVICE).eval()
    x = torch.randn(batch, 3, size, size, device=DEVICE)
    for _ in range(warmup):
        net(x)
    synchronize()
    times = []
    for _ in range(repeats):
        tic = time.perf_counter()
        net(x)
        synchronize()
        times.append(time.perf_counter() - tic)
    return statistics.median(times) * 1e3


for builder in (tiny_mobile, tiny_plain):
    n = sum(p.numel() for p in builder().parameters())
    print(f"{builder.__name__:12s} {n:6d} weights {benchmark(builder):7.2f} ms on {DEVICE}")
