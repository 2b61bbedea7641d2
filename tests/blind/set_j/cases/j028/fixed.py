import torch
import torch.nn as nn


class MLPBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, depth=3, d=16):
        super().__init__()
        self.blocks = nn.ModuleList(MLPBlock(d) for _ in range(depth))

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return x


def load_skeleton(state, device, **kw):
    with torch.device("meta"):
        model = Model(**kw)
    model = model.to_empty(device=device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not missing and not unexpected
    return model.eval()


def quantise(state, bits=8):
    out = {}
    for k, w in state.items():
        scale = w.abs().amax().clamp(min=1e-8) / (2 ** (bits - 1) - 1)
        out[k] = (w / scale).round().clamp(-128, 127) * scale
    return out


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
reference = Model().eval()
weights = quantise(reference.state_dict())
served = load_skeleton(weights, device)
x = torch.randn(2, 16)
with torch.no_grad():
    err = (served(x.to(device)).cpu() - reference(x)).abs().max()
print("max error", err.item())
