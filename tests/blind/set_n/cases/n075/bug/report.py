import numpy as np


def r2(y, p):
    y, p = np.asarray(y), np.asarray(p)
    return 1 - ((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def quantiles(residual, qs=(0.1, 0.5, 0.9)):
    return {q: float(np.quantile(residual, q)) for q in qs}


def summary(y, p):
    return {"r2": float(r2(y, p)), "n": len(y)}
