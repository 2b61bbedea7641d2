import numpy as np


def r_squared(target, predicted):
    residual = np.sum((target - predicted) ** 2)
    total = np.sum((target - target.mean()) ** 2)
    return 1.0 - residual / total


def summarise(name, target, predicted):
    t, p = target.cpu().numpy(), predicted.detach().cpu().numpy()
    return f"{name}: r2={r_squared(t, p):.3f} bias={np.mean(p - t):+.3f}"
