import torch
from torch import nn
import torch.nn.functional as F


class FakeQuant(nn.Module):
    def __init__(self, bits=4):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1
        self.register_buffer("amax", torch.tensor(1.0))

    def observe(self, t):
        with torch.no_grad():
            self.amax.copy_(torch.maximum(self.amax * 0.9, t.abs().max()))

    def forward(self, t):
        step = self.amax / self.levels
        s = t / step
        q = (s + (s.round() - s).detach()).clamp(-self.levels, self.levels)
        return q * step


class QLinear(nn.Linear):
    def __init__(self, i, o, bits=4):
        super().__init__(i, o)
        self.wq = FakeQuant(bits)

    def forward(self, x):
        self.wq.observe(self.weight)
        return F.linear(x, self.wq(self.weight), self.bias)


def build(widths=(10, 32, 3)):
    mods = []
    for a, b in zip(widths, widths[1:]):
        mods.extend((QLinear(a, b), nn.ReLU()))
    return nn.Sequential(*mods[:-1])


def finetune(net, x, y, steps=10, lr=0.05):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    return loss.item()


dev = "cuda" if torch.cuda.is_available() else "cpu"
net = build().to(dev)
w0 = net[0].weight.detach().clone()
print(finetune(net, torch.randn(64, 10).to(dev), torch.randint(0, 3, (64,)).to(dev)))
drift = (net[0].weight.detach() - w0).abs().max().item()
print("largest change of a first-layer weight", drift)
