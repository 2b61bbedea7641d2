import argparse

import torch
from torch import nn


def resolve(name):
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return name


def describe(t):
    place = t.device
    if place.type == "cuda":
        return f"gpu {place.index}"
    return str(place)


class Cache:
    def __init__(self):
        self.value = None

    def mask(self, x):
        n = x.size(1)
        if self.value is None or self.value.device != x.device or self.value.size(0) < n:
            self.value = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        return self.value[:n, :n]


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="auto")
args = parser.parse_args()
device = resolve(args.device)
pin = device == "cuda"
fast = device != "cpu" and hasattr(torch.backends, "cudnn")
if fast:
    torch.backends.cudnn.benchmark = True

model = nn.MultiheadAttention(8, 2, batch_first=True).to(device)
cache = Cache()
x = torch.randn(2, 5, 8).to(device)
first = cache.mask(x)
again = cache.mask(x)
assert first.data_ptr() == again.data_ptr()
assert str(x.device).startswith(device)
with torch.no_grad():
    out = x * first.float().mean() + model.in_proj_bias[:8]
print(pin, describe(out))
