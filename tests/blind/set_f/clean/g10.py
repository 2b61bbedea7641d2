import argparse

import numpy as np
import torch
from torch import nn


def pick(name):
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        if torch.backends.mps.is_available() and torch.backends.mps.is_built():
            return torch.device("mps")
        return torch.device("cpu")
    return torch.device(name)


def to_numpy(t):
    if not torch.is_tensor(t):
        return np.asarray(t)
    if t.requires_grad:
        t = t.detach()
    if t.is_cuda or t.device.type != "cpu":
        t = t.cpu()
    return t.numpy()


def aligned(a, b):
    return b if a.device == b.device else b.to(a.device)


def peak_memory(device):
    if device.type != "cuda" or not hasattr(torch.cuda, "max_memory_allocated"):
        return 0
    return 1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda", "mps"])
    device = pick(ap.parse_args().device)
    if torch.cuda.is_available():
        where = next(nn.Linear(1, 1).cuda().parameters()).device
        print("probe on", where)
    net = nn.Linear(4, 2).to(device)
    x = aligned(net.weight, torch.randn(3, 4))
    out = net(x)
    print(to_numpy(out).mean(), to_numpy([1, 2]).sum(), peak_memory(device))


if __name__ == "__main__":
    main()
