import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

from split import make_loaders


class NoisyLinear(nn.Module):
    def __init__(self, cin, cout, sigma=0.1):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cout, cin))
        self.bias = nn.Parameter(torch.zeros(cout))
        nn.init.kaiming_uniform_(self.weight, a=5 ** 0.5)
        self.sigma = sigma

    def forward(self, x, generator=None):
        w = self.weight
        if self.training:
            noise = torch.randn(w.shape, generator=generator)
            w = w + self.sigma * noise.to(w.device)
        return F.linear(x, w, self.bias)


class Model(nn.Module):
    def __init__(self, seed=0):
        super().__init__()
        self.a, self.b = NoisyLinear(5, 12), NoisyLinear(12, 2)
        self.rng = torch.Generator().manual_seed(seed)

    def forward(self, x):
        return self.b(self.a(x, self.rng).relu(), self.rng)


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    hit = sum((model(x.to(device)).argmax(1).cpu() == y).sum().item() for x, y in loader)
    return hit / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(48, 5, generator=torch.Generator().manual_seed(args.seed))
    train, val = make_loaders(TensorDataset(x, (x[:, 0] > 0).long()), 8, seed=args.seed)
    model = Model(args.seed).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(args.epochs):
        model.train()
        for xb, yb in train:
            loss = F.cross_entropy(model(xb.to(device)), yb.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), accuracy(model, val, device))


if __name__ == "__main__":
    main()
