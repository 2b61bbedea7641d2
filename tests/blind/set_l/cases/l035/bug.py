import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchMatcher(nn.Module):
    def __init__(self, c=3, d=12):
        super().__init__()
        self.embed = nn.Sequential(nn.Conv2d(c, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, d, 3, 2, 1))

    def forward(self, x):
        return F.normalize(self.embed(x).mean((2, 3)), dim=1)


class TermList:
    """Named loss terms with weights; total() gives what is optimised."""

    def __init__(self, **weights):
        self.weights = weights
        self.values = {}

    def add(self, name, value):
        self.values[name] = self.weights[name] * value

    def total(self):
        terms = torch.tensor([v.item() for v in self.values.values()], requires_grad=True)
        return terms.sum()

    def report(self):
        return {k: round(float(v.detach()), 4) for k, v in self.values.items()}


def triplet_terms(anchor, positive, negative, **weights):
    terms = TermList(**weights)
    dp = (anchor - positive).pow(2).sum(1)
    dn = (anchor - negative).pow(2).sum(1)
    terms.add("triplet", (dp - dn + 0.2).clamp(min=0).mean())
    terms.add("spread", anchor.t().matmul(anchor).pow(2).mean())
    return terms


def jitter(x):
    return x + 0.05 * torch.randn_like(x)


net = PatchMatcher()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(4):
    img = torch.rand(8, 3, 16, 16)
    terms = triplet_terms(net(img), net(jitter(img)), net(img.roll(1, 0)), triplet=1.0, spread=0.1)
    opt.zero_grad()
    terms.total().backward()
    opt.step()
    print(step, terms.report())
