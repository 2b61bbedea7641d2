import torch


class LogBook:
    """Keeps floats only; tensors are read when they come in."""

    def __init__(self):
        self.rows = []

    def add(self, **values):
        self.rows.append({k: float(v.detach()) if torch.is_tensor(v) else float(v) for k, v in values.items()})

    def mean(self, key, last=10):
        tail = [r[key] for r in self.rows[-last:]]
        return sum(tail) / len(tail)
