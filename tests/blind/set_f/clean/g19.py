from contextlib import contextmanager, nullcontext

import torch
from torch import nn


class ModeMixin:
    @contextmanager
    def evaluating(self):
        was = self.training
        self.eval()
        try:
            with torch.no_grad():
                yield self
        finally:
            self.train(was)


class Net(ModeMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.body(x)


def run(net, batches, criterion, optimizer=None):
    """One pass; trains when there is an optimizer."""
    training = optimizer is not None
    net.train(training)
    total = 0.0
    with nullcontext() if training else torch.no_grad():
        for x, y in batches:
            loss = criterion(net(x), y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item()
    return total / len(batches)


def run_enabled(net, batches, criterion, train):
    out = []
    with torch.set_grad_enabled(train):
        for x, y in batches:
            out.append(criterion(net(x), y))
    mean = torch.stack(out).mean()
    if train:
        mean.backward()
    return mean.item()


if __name__ == "__main__":
    net, crit = Net(), nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters())
    data = [(torch.randn(4, 4), torch.randint(0, 2, (4,))) for _ in range(3)]
    for epoch in range(2):
        a = run(net, data, crit, opt)
        b = run(net, data, crit)
        with net.evaluating():
            preds = torch.cat([net(x) for x, _ in data]).argmax(1).tolist()
        print(epoch, a, b, preds)
    print(run_enabled(net, data, crit, False))
