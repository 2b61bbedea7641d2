import time
from collections import deque

import torch
from torch import nn


class Timer:
    def __init__(self, device):
        self.device, self.laps = device, deque(maxlen=20)

    def __enter__(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        self.start = time.perf_counter()
        return self

    def __exit__(self, *exc):
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        self.laps.append(time.perf_counter() - self.start)

    @property
    def mean(self):
        return sum(self.laps) / len(self.laps)


class SmoothedValue:
    def __init__(self, window=10):
        self.deque, self.total, self.count = deque(maxlen=window), 0.0, 0

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(4, 2)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    timer, meter = Timer(device), SmoothedValue()
    for _ in range(3):
        with timer:
            x, y = torch.randn(4, 2, 9).to(device), torch.randint(0, 2, (4,)).to(device)
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        meter.update(loss.item(), len(x))
    print(timer.mean >= 0, meter.median, meter.total / meter.count)


if __name__ == "__main__":
    main()
