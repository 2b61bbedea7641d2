import torch
from torch import nn

# things that exist in some releases only
if hasattr(torch, "rfft"):
    def spectrum(x):
        return torch.rfft(x, 1).pow(2).sum(-1).sqrt()
else:
    def spectrum(x):
        return torch.fft.rfft(x).abs()

xpu = getattr(torch, "xpu", None)
HAS_XPU = xpu is not None and xpu.is_available()

try:
    from torch.optim import Lion as Fancy
except ImportError:
    Fancy = torch.optim.NAdam


class _Registry:
    """torch-like namespace for our own layers."""

    def __init__(self):
        self.table = {}

    def register(self, cls):
        setattr(self, cls.__name__, cls)
        self.table[cls.__name__] = cls
        return cls


layers = _Registry()


@layers.register
class RMSScale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.g * x / x.pow(2).mean(-1, keepdim=True).add(1e-6).sqrt()


def make(kind, *args):
    return getattr(nn, kind, None)(*args) if hasattr(nn, kind) else layers.table[kind](*args)


def optimizer(name, params, **kw):
    return {"fancy": Fancy}.get(name.lower(), getattr(torch.optim, name, None))(params, **kw)


net = nn.Sequential(make("Linear", 6, 8), layers.RMSScale(8), make("RMSScale", 8), make("GELU"), make("Linear", 8, 1))
for name in ("AdamW", "fancy"):
    opt = optimizer(name, net.parameters(), lr=1e-3)
    loss = net(torch.randn(10, 6)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(name, HAS_XPU, loss.item(), spectrum(net[0].weight.detach()).max().item())
