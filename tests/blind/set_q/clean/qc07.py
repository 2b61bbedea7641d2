import functools
import time
from contextlib import contextmanager

import torch
import torch.nn as nn


@contextmanager
def evaluating(*nets):
    modes = [n.training for n in nets]
    try:
        for n in nets:
            n.eval()
        with torch.no_grad():
            yield nets
    finally:
        for n, m in zip(nets, modes):
            n.train(m)


def on_device_of(module_attr):
    """Moves every tensor argument to the device of ``self.<module_attr>``."""
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(self, *args, **kwargs):
            dev = next(getattr(self, module_attr).parameters()).device
            args = [a.to(dev) if torch.is_tensor(a) else a for a in args]
            kwargs = {k: v.to(dev) if torch.is_tensor(v) else v for k, v in kwargs.items()}
            return fn(self, *args, **kwargs)
        return wrapper
    return deco


@contextmanager
def timed(name, log):
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    t = time.perf_counter()
    yield
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    log.setdefault(name, []).append(time.perf_counter() - t)


class Learner:
    def __init__(self, net, lr=1e-2):
        self.net, self.log = net, {}
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    @on_device_of("net")
    def fit_batch(self, x, y, *, weight=None):
        with timed("step", self.log):
            loss = nn.functional.cross_entropy(self.net(x), y, weight=weight)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.detach()

    @on_device_of("net")
    def score(self, x, y):
        with evaluating(self.net) as (net,):
            return (net(x).argmax(1) == y).float().mean()


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = nn.Sequential(nn.Linear(5, 32), nn.Dropout(0.2), nn.ReLU(), nn.Linear(32, 2)).to(device)
    learner = Learner(net)
    x = torch.randn(120, 5)
    y = (x.sum(1) > 0.5).long()
    weight = 1.0 / torch.bincount(y, minlength=2)
    for epoch in range(3):
        losses = [learner.fit_batch(x[i], y[i], weight=weight) for i in torch.arange(100).split(25)]
        print(epoch, torch.stack(losses).mean().item(), learner.score(x[100:], y[100:]).item())
    assert net.training


if __name__ == "__main__":
    main()
