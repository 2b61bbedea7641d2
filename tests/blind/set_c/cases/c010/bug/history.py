from collections import defaultdict


class History:
    """Per-metric record of every step, summarised at the end of an epoch."""

    def __init__(self):
        self.data = defaultdict(list)

    def add(self, **metrics):
        for name, value in metrics.items():
            self.data[name].append(value)

    def summary(self, last=10):
        return {k: float(sum(v[-last:])) / max(1, len(v[-last:])) for k, v in self.data.items()}
