import torch.nn as nn

from registry import register


@register("mlp")
class MLP(nn.Module):
    def __init__(self, inp, hidden, out=1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, hidden), nn.ELU(), nn.Linear(hidden, out))

    def forward(self, x):
        return self.net(x)
