import torch


def soft_cap(logits, cap=2.0):
    out = torch.tanh(logits / cap)
    out.data *= cap
    return out


def entropy(logits):
    p = soft_cap(logits).softmax(-1)
    return -(p * p.clamp(min=1e-9).log()).sum(-1)
