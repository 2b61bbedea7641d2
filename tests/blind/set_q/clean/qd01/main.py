import torch
import torch.nn as nn

from callbacks import ClipGrad, EmaCallback, History, LrFinder
from loop import Loop

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def batches(n, seed):
    def make():
        g = torch.Generator().manual_seed(seed)
        for _ in range(n):
            x = torch.randn(16, 5, generator=g)
            yield x, x.abs().sum(1, keepdim=True)
    return make


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    hist = History()
    loop = Loop(net, torch.optim.Adam(net.parameters(), 1e-2), nn.MSELoss(), device,
                [ClipGrad(1.0), EmaCallback(0.9), hist, LrFinder(1.02)])
    for _ in range(3):
        loop.epoch(batches(6, 1), train=True)
        loop.epoch(batches(2, 2), train=False)
    print(hist.rows)
