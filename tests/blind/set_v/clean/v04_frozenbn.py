import contextlib

import torch
from torch import nn


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(16, 2))
        self.backbone.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()  # the statistics of the pretrained part stay as they are
        return self

    def forward(self, x):
        with torch.no_grad():
            z = self.backbone(x)
        return self.head(z)


@contextlib.contextmanager
def evaluating(net):
    before = net.training
    net.eval()
    try:
        with torch.no_grad():
            yield net
    finally:
        net.train(before)


def score(net, x, y):
    with evaluating(net) as m:
        return (m(x).argmax(1) == y).float().mean().item()


model = Tuned()
opt = torch.optim.Adam(model.head.parameters(), lr=1e-2)
x, y = torch.randn(40, 10), torch.randint(0, 2, (40,))
model.train()
for epoch in range(4):
    for xb, yb in zip(x.split(10), y.split(10)):
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, score(model, x, y))
assert model.head.training and not model.backbone.training
