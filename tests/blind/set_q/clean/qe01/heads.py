import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm


class DINOHead(nn.Module):
    def __init__(self, d, out, bottleneck=12):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, 32), nn.GELU(), nn.Linear(32, bottleneck))
        self.last = weight_norm(nn.Linear(bottleneck, out, bias=False))
        g = self.last.parametrizations.weight.original0
        nn.init.ones_(g)
        g.requires_grad_(False)

    def forward(self, x):
        return self.last(F.normalize(self.mlp(x), dim=-1))

    def cancel_last_layer_grad(self):
        for p in self.last.parameters():
            p.grad = None
