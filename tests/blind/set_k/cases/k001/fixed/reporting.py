import torch


def to_host(t):
    return t.detach().cpu()


class PredictionLog:
    def __init__(self):
        self.scores = []
        self.targets = []

    def add(self, logits, targets):
        self.scores.append(to_host(logits.softmax(-1)[:, 1]))
        self.targets.append(to_host(targets))

    def auc(self):
        scores = torch.cat(self.scores)
        targets = torch.cat(self.targets)
        order = scores.argsort()
        ranks = torch.empty_like(scores)
        ranks[order] = torch.arange(1, len(scores) + 1, dtype=scores.dtype)
        pos = targets == 1
        n_pos, n_neg = int(pos.sum()), int((~pos).sum())
        if n_pos == 0 or n_neg == 0:
            return float("nan")
        return float((ranks[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))
