import numpy as np

METRICS = {}


def metric(fn):
    METRICS[fn.__name__] = fn
    return fn


@metric
def accuracy(prob, y):
    return (prob.argmax(1) == y).mean()


@metric
def brier(prob, y):
    return ((prob - np.eye(prob.shape[1])[y]) ** 2).sum(1).mean()


@metric
def ece(prob, y, bins=5):
    conf, hit = prob.max(1), prob.argmax(1) == y
    which = np.digitize(conf, np.linspace(0, 1, bins + 1)[1:-1])
    gaps = [abs(conf[which == b].mean() - hit[which == b].mean()) * (which == b).mean()
            for b in range(bins) if (which == b).any()]
    return float(np.sum(gaps))
