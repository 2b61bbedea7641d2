from collections import defaultdict


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def average(self):
        return float(self.total) / max(self.count, 1)


class Scoreboard:
    def __init__(self):
        self.meters = defaultdict(Meter)

    def log(self, n, **values):
        for name, value in values.items():
            self.meters[name].update(value, n)

    def __str__(self):
        return "  ".join(f"{k}={m.average:.4f}" for k, m in sorted(self.meters.items()))
