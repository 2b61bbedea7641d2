import json
from collections import OrderedDict
import numpy as np


class WeightMonitor:
    """Keeps histograms of weights and activations for a dashboard."""

    def __init__(self, bins=10):
        self.bins = bins
        self.records = []
        self.activations = OrderedDict()

    def watch(self, module, name):
        def hook(_, __, output):
            self.activations[name] = output.detach()
        return module.register_forward_hook(hook)

    def histogram(self, values):
        counts, edges = np.histogram(values.reshape(-1), bins=self.bins)
        return {"counts": counts.tolist(), "low": float(edges[0]), "high": float(edges[-1])}

    def snapshot(self, step, model):
        row = {"step": step, "weights": {}, "activations": {}}
        for name, p in model.named_parameters():
            row["weights"][name] = self.histogram(p.detach().cpu().numpy())
        for name, act in self.activations.items():
            row["activations"][name] = self.histogram(act.cpu().numpy())
        self.records.append(row)

    def dump(self):
        return json.dumps(self.records[-1])[:200]
