import torch


def one_hot_map(target, classes):
    return torch.nn.functional.one_hot(target, classes).movedim(-1, 1).float()


def class_balance(classes, beta=0.0, alpha=None):
    """Weights of the classes; uniform when nothing is given."""
    if alpha is not None:
        return alpha / alpha.sum()
    ranks = torch.arange(1, classes + 1, dtype=torch.float32)
    w = ranks.pow(-beta)
    return w / w.sum()
