import contextlib
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextlib.contextmanager
def evaluating(*modules):
    modes = [m.training for m in modules]
    for m in modules:
        m.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for m, mode in zip(modules, modes):
            m.train(mode)


def in_eval(method):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        with evaluating(self.model):
            return method(self, *args, **kwargs)
    return wrapper


class Template:
    def __init__(self, model, device):
        self.device = device
        self.model = model.to(device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def loss(self, batch):
        raise NotImplementedError

    def train_epoch(self, batches):
        total = 0.0
        for batch in batches:
            loss = self.loss(batch.to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(batches)

    @in_eval
    def validate(self, batches):
        return sum(self.loss(b.to(self.device)) for b in batches).item() / len(batches)

    def fit(self, train, val, epochs):
        self.model.train()
        return [(self.train_epoch(train), self.validate(val)) for _ in range(epochs)]


class MaskedAutoencoder(Template):
    ratio = 0.3

    def loss(self, batch):
        hidden = torch.rand_like(batch) < self.ratio
        out = self.model(batch.masked_fill(hidden, 0.0))
        return F.mse_loss(out[hidden], batch[hidden])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mix = torch.randn(2, 10)
data = [torch.randn(16, 2) @ mix for _ in range(6)]
net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 10))
for row in MaskedAutoencoder(net, device).fit(data[:4], data[4:], 3):
    print("train %.3f  val %.3f" % row)
