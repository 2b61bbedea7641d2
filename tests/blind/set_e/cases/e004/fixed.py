import torch
from torch import nn


class CTCHead(nn.Module):
    def __init__(self, dim, symbols):
        super().__init__()
        self.proj = nn.Linear(dim, symbols + 1)

    def forward(self, feats):
        return self.proj(feats).log_softmax(-1)


def greedy_collapse(log_probs, blank=0):
    """Best path with repeats and blanks removed, one list per sequence."""
    best = log_probs.argmax(-1)
    previous = torch.cat([best.new_full((best.size(0), 1), -1), best[:, :-1]], dim=1)
    keep = (best != previous) & (best != blank)
    return [row[mask].tolist() for row, mask in zip(best, keep)]


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


def error_rate(log_probs, references):
    hyps = greedy_collapse(log_probs)
    errors = sum(edit_distance(h, r) for h, r in zip(hyps, references))
    return errors / max(1, sum(len(r) for r in references))
