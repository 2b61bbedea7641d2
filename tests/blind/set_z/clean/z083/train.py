import argparse
from functools import wraps

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from meters import DeviceMeter, Timeline


def inference(fn):
    @wraps(fn)
    def inner(self, *args, **kwargs):
        was = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                return fn(self, *args, **kwargs)
        finally:
            self.model.train(was)
    return inner


class Learner:
    def __init__(self, model, device):
        self.model, self.device = model.to(device), device
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-2)
        self.timeline = Timeline()

    def losses(self, x, y):
        out = self.model(x)
        return {"ce": F.cross_entropy(out, y), "l2": 1e-3 * sum(p.pow(2).sum() for p in self.model.parameters())}

    def train_epoch(self, loader):
        self.model.train()
        meter = DeviceMeter()
        for x, y in loader:
            parts = self.losses(x.to(self.device), y.to(self.device))
            total = sum(parts.values())
            self.opt.zero_grad()
            total.backward()
            self.opt.step()
            meter.update(total=total, **parts)
            self.timeline.append(total.detach())
        return meter.compute()

    @inference
    def validate(self, loader):
        total, outputs = 0, []
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            out = self.model(x)
            total += F.cross_entropy(out, y, reduction="sum")
            outputs.append(out)
        return (total / len(loader.dataset)).item(), torch.cat(outputs).argmax(1).cpu().numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ds = TensorDataset(torch.randn(24, 5), torch.randint(0, 3, (24,)))
    learner = Learner(nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3)), device)
    for epoch in range(args.epochs):
        print(epoch, learner.train_epoch(DataLoader(ds, 8, shuffle=True)), learner.validate(DataLoader(ds, 8))[0],
              learner.timeline.tail())


if __name__ == "__main__":
    main()
