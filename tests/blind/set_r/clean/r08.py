import argparse
import time

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
parser.add_argument("--steps", type=int, default=5)
args = parser.parse_args()

use_cuda = args.device == "cuda"
device = torch.device(args.device)
on_cpu = device == torch.device("cpu")

model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
workers = 0 if on_cpu else 1


def same_place(a, b):
    return a.device == b.device


def now():
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


for step in range(args.steps):
    x = torch.randn(16, 32)
    y = torch.randint(0, 4, (16,))
    if use_cuda:
        x, y = x.to(device), y.to(device)
    weight = model[0].weight
    if not same_place(x, weight):
        raise RuntimeError(f"batch on {x.device}, weights on {weight.device}")
    began = now()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{step} {loss.item():.4f} {now() - began:.4f}s, {workers} workers")
