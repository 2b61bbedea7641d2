from collections import OrderedDict
from typing import Dict

import torch
from torch import nn
import torch.nn.functional as F


class MultiTaskNet(nn.Module):
    def __init__(self, tasks: Dict[str, int], dim=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 16), nn.Tanh())
        self.heads = nn.ModuleDict({t: nn.Linear(16, n) for t, n in tasks.items()})
        self.log_vars = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in tasks})

    def forward(self, x):
        h = self.trunk(x)
        return OrderedDict((t, head(h)) for t, head in self.heads.items())

    def total_loss(self, outputs, targets):
        """Sum over the tasks, weighted by the learned uncertainty."""
        total = 0
        parts = {}
        for task, out in outputs.items():
            if out.size(-1) == 1:
                loss = F.mse_loss(out.squeeze(-1), targets[task])
            else:
                loss = F.cross_entropy(out, targets[task])
            s = self.log_vars[task]
            total += torch.exp(-s) * loss + s
            parts[task] = loss.detach()
        return total, parts
