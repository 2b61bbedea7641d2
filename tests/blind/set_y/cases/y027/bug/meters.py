from collections import OrderedDict


class AverageMeter:
    def __init__(self, name, fmt=":.4f"):
        self.name, self.fmt = name, fmt
        self.reset()

    def reset(self):
        self.val = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)

    def __str__(self):
        return ("{name} {avg" + self.fmt + "}").format(name=self.name, avg=float(self.avg))


class Meters(OrderedDict):
    def __missing__(self, name):
        self[name] = AverageMeter(name)
        return self[name]

    def __str__(self):
        return "  ".join(map(str, self.values()))
