from collections import defaultdict


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sums = defaultdict(float)
        self.counts = defaultdict(int)

    def update(self, n=1, **values):
        for name, value in values.items():
            self.sums[name] = self.sums[name] + value * n
            self.counts[name] += n

    def averages(self):
        return {k: float(self.sums[k]) / self.counts[k] for k in self.sums}

    def __str__(self):
        return "  ".join(f"{k} {v:.4f}" for k, v in self.averages().items())
