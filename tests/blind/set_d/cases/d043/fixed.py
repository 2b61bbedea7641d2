import math

import torch
import torch.nn.functional as F


def perplexity(model, batches):
    model.eval()
    total, n = 0.0, 0
    with torch.no_grad():
        for x, y in batches:
            total += F.cross_entropy(model(x), y, reduction="sum").item()
            n += y.numel()
    return math.exp(total / n)
