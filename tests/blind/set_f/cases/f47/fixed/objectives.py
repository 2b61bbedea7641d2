import torch
import torch.nn.functional as F

OBJECTIVES = {}


def objective(fn):
    OBJECTIVES[fn.__name__] = fn
    return fn


@objective
def cross_entropy(logits, y):
    return F.cross_entropy(logits, y)


@objective
def soft_f1(logits, y):
    """One minus the macro F1."""
    k = logits.size(1)
    p = logits.softmax(dim=1)
    t = F.one_hot(y, k).float()
    tp = (p * t).sum(0)
    f1 = 2 * tp / (p.sum(0) + t.sum(0)).clamp(min=1e-6)
    return 1 - f1.mean()
