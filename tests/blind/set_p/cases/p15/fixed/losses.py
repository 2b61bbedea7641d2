import torch
import torch.nn.functional as F


def info_nce(queries, keys, temperature=0.1):
    queries = F.normalize(queries, dim=1)
    keys = F.normalize(keys, dim=1)
    logits = queries @ keys.t() / temperature
    labels = torch.arange(logits.size(0), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


def variance_penalty(z, floor=1.0):
    std = torch.sqrt(z.var(dim=0) + 1e-4)
    return F.relu(floor - std).mean()
