"""Classifier with a domain head on shared features."""
import torch
from torch import nn


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.scale * g, None


class DANN(nn.Module):
    def __init__(self, d=8, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d, 16), nn.Sigmoid())
        self.label = nn.Linear(16, classes)
        self.domain = nn.Linear(16, 2)

    def forward(self, x, scale=1.0):
        f = self.features(x)
        return self.label(f), self.domain(GradReverse.apply(f, scale))


class Adapter:
    def __init__(self, net, lr=1e-2):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr)
        self.ce = nn.CrossEntropyLoss()

    def step(self, source, labels, target):
        x = torch.cat([source, target])
        where = torch.cat([torch.zeros(len(source)), torch.ones(len(target))]).long().to(x.device)
        y, dom = self.net(x)
        label_loss = self.ce(y[: len(source)], labels)
        domain_loss = self.ce(dom, where)
        self.optimizer.zero_grad()
        label_loss.backward()
        domain_loss.backward()
        self.optimizer.step()
        return label_loss.item(), domain_loss.item()


if __name__ == "__main__":
    adapter = Adapter(DANN())
    for _ in range(3):
        print(adapter.step(torch.randn(6, 8), torch.randint(0, 3, (6,)), torch.randn(6, 8) + 1))
