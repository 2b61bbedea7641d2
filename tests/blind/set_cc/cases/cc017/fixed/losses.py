import torch
import torch.nn.functional as F


def multiple_negatives(queries, passages, scale=20.0):
    scores = scale * queries @ passages.T
    target = torch.arange(len(scores), device=scores.device)
    return F.cross_entropy(scores, target)
