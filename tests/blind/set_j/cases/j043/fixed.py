import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RealNVPLayer(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(dim // 2, 24), nn.Tanh(), nn.Linear(24, dim))

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)


class Flow(nn.Module):
    def __init__(self, dim=4, depth=3):
        super().__init__()
        self.dim = dim
        self.layers = nn.ModuleList(RealNVPLayer(dim, i % 2 == 1) for i in range(depth))

    def log_prob(self, x):
        ld = 0
        for layer in self.layers:
            x, d = layer(x)
            ld = ld + d
        return -0.5 * x.pow(2).sum(1) - 0.5 * self.dim * math.log(2 * math.pi) + ld


def held_out_nll(flow, data):
    flow.eval()
    with torch.no_grad():
        nll = -flow.log_prob(data).mean().item()
    flow.train()
    return nll


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(200, 4) @ torch.randn(4, 4)
    train, val = data[:160].to(device), data[160:].to(device)
    flow = Flow().to(device)
    opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
    for epoch in range(3):
        for idx in torch.randperm(len(train)).split(40):
            loss = -flow.log_prob(train[idx.to(device)]).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, held_out_nll(flow, val))


if __name__ == "__main__":
    main()
