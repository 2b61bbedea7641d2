from collections import defaultdict


class Track:
    """Keeps the values of an epoch by name and prints their means."""

    def __init__(self):
        self.values = defaultdict(list)

    def add(self, **scalars):
        for name, value in scalars.items():
            self.values[name].append(value)

    def mean(self, name):
        v = self.values[name]
        return sum(v) / max(len(v), 1)

    def line(self):
        return "  ".join(f"{k} {float(self.mean(k)):.4f}" for k in self.values)
