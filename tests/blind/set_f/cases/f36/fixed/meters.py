from collections import OrderedDict


class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.sum = 0
        self.n = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)

    def __str__(self):
        return f"{self.name} {self.avg:.4f}"


class Board:
    def __init__(self, *names):
        self.meters = OrderedDict((n, AverageMeter(n)) for n in names)

    def update(self, n=1, **values):
        for key, value in values.items():
            self.meters[key].update(value, n)

    def line(self):
        return " | ".join(str(m) for m in self.meters.values())
