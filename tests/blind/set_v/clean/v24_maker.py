import torch
from torch import nn
import torch.nn.functional as F


class Hyper(nn.Module):
    """The weights of the inner layer come out of another network: nothing is built per call."""

    def __init__(self, ctx, n_in, n_out):
        super().__init__()
        self.n_in, self.n_out = n_in, n_out
        self.gen = nn.Linear(ctx, n_in * n_out + n_out)

    def forward(self, x, ctx):
        flat = self.gen(ctx)
        w = flat[: self.n_in * self.n_out].view(self.n_out, self.n_in)
        return F.linear(x, w, flat[self.n_in * self.n_out :])


class ResNetish(nn.Module):
    def __init__(self, plan):
        super().__init__()
        self.width = 4
        self.stem = nn.Conv2d(1, self.width, 3, padding=1)
        for i, (w, n) in enumerate(plan):
            setattr(self, f"layer{i}", self._make_layer(w, n))
        self.n_layers = len(plan)
        self.hyper = Hyper(3, self.width, 2)

    def _make_layer(self, width, n):
        layers = []
        for _ in range(n):
            layers += [nn.Conv2d(self.width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
            self.width = width
        return nn.Sequential(*layers)

    def forward(self, x, ctx):
        x = self.stem(x)
        for i in range(self.n_layers):
            x = getattr(self, f"layer{i}")(x)
        return self.hyper(F.adaptive_avg_pool2d(x, 1).flatten(1), ctx)


net = ResNetish([(4, 1), (8, 2)])
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(3):
    x, y = torch.randn(4, 1, 8, 8), torch.randint(0, 2, (4,))
    loss = F.cross_entropy(net(x, torch.randn(3)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(sum(p.numel() for p in net.parameters()), loss.item())
