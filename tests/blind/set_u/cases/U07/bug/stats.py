from collections import defaultdict

import torch


class ActivationStats:
    """Running mean and fraction of dead units for a set of sub-modules."""

    def __init__(self):
        self.values = defaultdict(list)
        self.handles = []

    def watch(self, name, module):
        def hook(_, __, out):
            out = out.detach()
            self.values[name].append((out.mean().item(), (out <= 0).float().mean().item()))

        self.handles.append(module.register_forward_hook(hook))
        return self

    def close(self):
        for h in self.handles:
            h.remove()
        self.handles.clear()

    def report(self):
        return {k: torch.tensor(v).mean(dim=0).tolist() for k, v in self.values.items()}
