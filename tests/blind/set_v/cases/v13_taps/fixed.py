import torch
from torch import nn


class FeatureTap:
    """Collects the outputs of the named layers with hooks."""

    def __init__(self, net, names):
        self.store = {}
        modules = dict(net.named_modules())
        self.handles = [modules[n].register_forward_hook(self._save(n)) for n in names]

    def _save(self, name):
        def hook(_module, _inputs, output):
            self.store[name] = output

        return hook

    def close(self):
        for h in self.handles:
            h.remove()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.mid = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, stride=2), nn.ReLU())
        self.top = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.top(self.mid(self.low(x))).flatten(1)


def gram(f):
    f = f.flatten(2)
    return f @ f.transpose(1, 2) / f.size(-1)


def style_distance(net, tap, a, b):
    grams = []
    for img in (a, b):
        tap.store.clear()
        net(img)
        grams.append([gram(f) for f in tap.store.values()])
    return sum((p - q).pow(2).mean() for p, q in zip(*grams))


encoder = Encoder().eval().requires_grad_(False)
tap = FeatureTap(encoder, ["low", "mid"])
style, content = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
distance = style_distance(encoder, tap, style, content)
print("style distance", float(distance), sorted(tap.store))
tap.close()
