from collections import defaultdict

import numpy as np
import torch
from torch import nn


class ActivationRecorder:
    def __init__(self, model, names):
        self.store = defaultdict(list)
        modules = dict(model.named_modules())
        self.handles = [modules[n].register_forward_hook(self._hook(n)) for n in names]

    def _hook(self, name):
        def hook(module, inputs, output):
            self.store[name].append(output.detach().flatten(1).cpu())
        return hook

    def table(self, name):
        return torch.cat(self.store[name]).numpy()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()


class GradientMeter:
    """Mean absolute gradient that reaches each registered tensor."""

    def __init__(self):
        self.values = {}

    def watch(self, name, tensor):
        if tensor.requires_grad:
            tensor.register_hook(lambda g: self.values.__setitem__(name, g.abs().mean().item()))
        return tensor


class Net(nn.Module):
    def __init__(self, meter=None):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(2, 6, 3, padding=1), nn.ReLU())
        self.pool = nn.AdaptiveMaxPool1d(4)
        self.fc = nn.Linear(24, 3)
        self.meter = meter

    def forward(self, x):
        h = self.conv(x)
        if self.meter is not None:
            h = self.meter.watch("conv", h)
        return self.fc(self.pool(h).flatten(1))


def cka(a, b):
    a, b = a - a.mean(0), b - b.mean(0)
    cross = np.linalg.norm(a.T @ b) ** 2
    return cross / (np.linalg.norm(a.T @ a) * np.linalg.norm(b.T @ b))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    meter = GradientMeter()
    net = Net(meter).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    with ActivationRecorder(net, ["conv", "fc"]) as rec:
        for _ in range(4):
            x = torch.randn(8, 2, 16, device=device)
            y = torch.randint(0, 3, (8,), device=device)
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(cka(rec.table("conv"), rec.table("fc")))
    print(meter.values)
    net.eval()
    with torch.no_grad():
        print(net(torch.zeros(1, 2, 16, device=device)).cpu().numpy().round(2))


if __name__ == "__main__":
    main()
