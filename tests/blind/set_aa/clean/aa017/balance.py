import torch
import torch.nn as nn


class UncertaintyWeights(nn.Module):
    """Kendall's weighting of several task losses."""

    def __init__(self, tasks):
        super().__init__()
        self.tasks = list(tasks)
        self.log_var = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in self.tasks})

    def forward(self, losses):
        return sum(torch.exp(-self.log_var[t]) * losses[t] + self.log_var[t] for t in self.tasks)


class LossScaleNormalizer:
    """First value of every loss, kept on the host as a scalar."""

    def __init__(self):
        self.first = {}

    def __call__(self, losses):
        for name, value in losses.items():
            if name not in self.first:
                self.first[name] = value.detach().cpu().clamp(min=1e-6)
        return {n: v / self.first[n] for n, v in losses.items()}
