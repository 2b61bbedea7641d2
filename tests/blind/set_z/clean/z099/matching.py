import itertools

import numpy as np
import torch
import torch.nn.functional as F


def best_assignment(cost):
    """Brute force over permutations, for a handful of queries (host only)."""
    n, m = cost.shape
    rows = max(itertools.permutations(range(n), m), key=lambda r: -sum(cost[i, j] for j, i in enumerate(r)))
    return np.asarray(rows), np.arange(m)


class Matcher:
    def __init__(self, cls_weight=1.0, box_weight=2.0):
        self.cls_weight, self.box_weight = cls_weight, box_weight

    @torch.no_grad()
    def __call__(self, outputs, targets):
        result = []
        for logits, boxes, t in zip(outputs["logits"], outputs["boxes"], targets):
            prob = logits.softmax(-1)
            cost = -self.cls_weight * prob[:, t["labels"]] + self.box_weight * torch.cdist(boxes, t["boxes"], p=1)
            q, g = best_assignment(cost.cpu().numpy())
            result.append((torch.from_numpy(q), torch.from_numpy(g)))
        return result


class SetCriterion:
    def __init__(self, classes, matcher, empty=0.2):
        self.classes, self.matcher, self.empty = classes, matcher, empty

    def __call__(self, outputs, targets):
        pairs = self.matcher(outputs, targets)
        logits = outputs["logits"]
        target = torch.full(logits.shape[:2], self.classes, dtype=torch.long, device=logits.device)
        box_loss, n = logits.new_zeros(()), 0
        for b, (q, g) in enumerate(pairs):
            q, g = q.to(logits.device), g.to(logits.device)
            target[b, q] = targets[b]["labels"][g]
            box_loss = box_loss + F.l1_loss(outputs["boxes"][b, q], targets[b]["boxes"][g], reduction="sum")
            n += len(q)
        weight = torch.ones(self.classes + 1, device=logits.device)
        weight[-1] = self.empty
        return {"cls": F.cross_entropy(logits.transpose(1, 2), target, weight), "box": box_loss / max(n, 1)}
