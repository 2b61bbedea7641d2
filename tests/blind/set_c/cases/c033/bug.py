import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d, expand=2):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, d * expand)
        self.down = nn.Linear(d * expand, d)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def pick_device():
    return torch.device("cuda" if torch.cuda.is_avaliable() else "cpu")


@torch.no_grad()
def benchmark(depth, batch=4, dim=16, repeats=3):
    device = pick_device()
    net = nn.Sequential(*[Block(dim) for _ in range(depth)]).to(device).eval()
    x = torch.randn(batch, dim, device=device)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        net(x)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    for depth in (2, 4, 8):
        print(depth, f"{benchmark(depth) * 1e3:.3f} ms")
