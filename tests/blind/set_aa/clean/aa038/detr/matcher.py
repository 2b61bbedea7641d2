import itertools

import torch


def best_assignment(cost):
    """Exhaustive search over a small cost matrix of queries by objects; host only."""
    q, n = len(cost), len(cost[0])
    perms = itertools.permutations(range(q), n)
    best = min(perms, key=lambda rows: sum(cost[r][c] for c, r in enumerate(rows)))
    return torch.tensor(best), torch.arange(n)


class Matcher:
    def __init__(self, w_class=1.0, w_box=5.0):
        self.w_class, self.w_box = w_class, w_box

    @torch.no_grad()
    def __call__(self, outputs, targets):
        prob = outputs["logits"].softmax(-1)
        pairs = []
        for p, b, t in zip(prob, outputs["boxes"], targets):
            cost = self.w_box * torch.cdist(b, t["boxes"], p=1) - self.w_class * p[:, t["labels"]]
            pairs.append(best_assignment(cost.tolist()))
        return pairs
