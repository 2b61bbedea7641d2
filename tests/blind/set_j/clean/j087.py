import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class SwiGLU(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d, 2 * d, bias=False), nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Stack(nn.Module):
    def __init__(self, depth=2, d=8):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(RMSNorm(d), SwiGLU(d)) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def shards(state, n=2):
    keys = list(state)
    size = -(-len(keys) // n)
    for i in range(0, len(keys), size):
        yield {k: state[k] for k in keys[i : i + size]}


def materialise(parts, device):
    with torch.device("meta"):
        model = Stack()
    wanted = sum(p.numel() for p in model.parameters())
    model = model.to_empty(device=device)
    loaded = 0
    for part in parts:
        model.load_state_dict(part, strict=False)
        loaded += sum(t.numel() for t in part.values())
    assert wanted == loaded
    return model.eval()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
source = Stack().eval()
model = materialise(shards(source.state_dict()), device)
x = torch.randn(2, 3, 8)
with torch.no_grad():
    print(torch.allclose(model(x.to(device)).cpu(), source(x), atol=1e-5))
