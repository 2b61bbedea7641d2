"""Hypernetwork: generated vectors are cut into the shapes of a template on the host."""
from collections import OrderedDict

import torch
from torch import nn
from torch.func import functional_call


class WeightLayout:
    """Remembers the shapes of a network by keeping the network itself on the CPU."""

    def __init__(self, template: nn.Module):
        self.template = template
        self.entries = OrderedDict((n, p.detach()) for n, p in template.named_parameters())

    @property
    def total(self):
        return sum(p.numel() for p in self.entries.values())

    def cut(self, flat: torch.Tensor):
        pieces, start = OrderedDict(), 0
        for name, shape_of in self.entries.items():
            stop = start + shape_of.numel()
            pieces[name] = flat[start:stop].view_as(shape_of)
            start = stop
        return pieces


class HyperNet(nn.Module):
    def __init__(self, tasks: int, layout: WeightLayout, dim=8):
        super().__init__()
        self.embed = nn.Embedding(tasks, dim)
        self.out = nn.Linear(dim, layout.total)
        nn.init.normal_(self.out.weight, std=0.05)
        self._layout = layout

    def forward(self, task: torch.Tensor, x: torch.Tensor):
        weights = self._layout.cut(self.out(self.embed(task)))
        return functional_call(self._layout.template, weights, (x,))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layout = WeightLayout(nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1)))
    hyper = HyperNet(4, layout).to(device)
    opt = torch.optim.Adam(hyper.parameters(), lr=1e-2)
    for step in range(4):
        task = torch.tensor(step % 4, device=device)
        x = torch.randn(16, 3, device=device)
        loss = (hyper(task, x) - x.sum(1, keepdim=True) * step).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
