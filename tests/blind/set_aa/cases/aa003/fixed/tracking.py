from collections import defaultdict


class Tracker:
    """Keeps every scalar of the current epoch, by name."""

    def __init__(self):
        self.values = defaultdict(list)

    def log(self, **scalars):
        for name, value in scalars.items():
            self.values[name].append(value)

    def summary(self):
        return {k: float(sum(v) / len(v)) for k, v in self.values.items()}

    def reset(self):
        self.values.clear()
