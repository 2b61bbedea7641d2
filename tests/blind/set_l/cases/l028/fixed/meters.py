from collections import defaultdict


class Meter:
    def __init__(self):
        self.sum = 0.0
        self.n = 0

    def update(self, value, n=1):
        self.sum = self.sum + value * n
        self.n += n

    def average(self):
        return float(self.sum) / max(self.n, 1)


class MeterBank(defaultdict):
    def __init__(self):
        super().__init__(Meter)

    def update_all(self, n, **values):
        for k, v in values.items():
            self[k].update(v, n)

    def __str__(self):
        return "  ".join(f"{k} {m.average():.4f}" for k, m in self.items())
