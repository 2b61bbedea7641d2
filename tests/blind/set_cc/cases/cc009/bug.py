"""Throughput of a small mixer, host copies are batched only when there is a GPU."""
import time

import torch
from torch import nn


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, tokens), nn.GELU(), nn.Linear(tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm2(x))


def pick_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


model = nn.Sequential(*[MixerBlock(16, 32) for _ in range(2)]).to(pick_device()).eval()
device = next(model.parameters()).device
on_gpu = device == "cuda"
batches = [torch.randn(8, 16, 32) for _ in range(4)]


@torch.no_grad()
def measure(repeats):
    timings = []
    for _ in range(repeats):
        if on_gpu:
            torch.cuda.synchronize()
        start = time.perf_counter()
        for batch in batches:
            model(batch.to(device))
        if on_gpu:
            torch.cuda.synchronize()
        timings.append(time.perf_counter() - start)
    return sorted(timings)[len(timings) // 2]


measure(1)
seconds = measure(3)
print(f"{device}: {len(batches) * 8 / seconds:.0f} samples/s")
