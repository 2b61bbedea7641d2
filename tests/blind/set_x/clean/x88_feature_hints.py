"""Feature distillation with forward hooks; taps are emptied after each step."""
from contextlib import contextmanager
from typing import Dict

import torch
from torch import nn
import torch.nn.functional as F


class Tap:
    def __init__(self, root: nn.Module, names):
        self.features: Dict[str, torch.Tensor] = {}
        modules = dict(root.named_modules())
        self.handles = [modules[n].register_forward_hook(self._keep(n)) for n in names]

    def _keep(self, name):
        def hook(module, inputs, output):
            self.features[name] = output
        return hook

    def take(self):
        taken, self.features = self.features, {}
        return taken

    def remove(self):
        for h in self.handles:
            h.remove()


@contextmanager
def taps(*pairs):
    opened = [Tap(net, names) for net, names in pairs]
    try:
        yield opened
    finally:
        for t in opened:
            t.remove()


def net(width):
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))


def train(student, teacher, bridge, device, steps=4):
    params = [*student.parameters(), *bridge.parameters()]
    opt = torch.optim.Adam(params, lr=1e-3)
    teacher.eval()
    total = torch.zeros((), device=device)
    with taps((student, ["1", "3"]), (teacher, ["1", "3"])) as (s_tap, t_tap):
        for _ in range(steps):
            x = torch.randn(16, 8, device=device)
            with torch.no_grad():
                soft = teacher(x).softmax(-1)
            logits = student(x)
            s_feats, t_feats = s_tap.take(), t_tap.take()
            loss = F.cross_entropy(logits, soft)
            for name, feat in s_feats.items():
                loss = loss + 0.5 * F.mse_loss(bridge[f"b{name}"](feat), t_feats[name])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
    return total.item() / steps


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    small, big = net(8).to(dev), net(24).to(dev).requires_grad_(False)
    bridge = nn.ModuleDict({f"b{n}": nn.Linear(8, 24) for n in ("1", "3")}).to(dev)
    print(train(small, big, bridge, dev))
