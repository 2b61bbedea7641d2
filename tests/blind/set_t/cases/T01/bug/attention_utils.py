import math
import torch


def causal_bias(length, window=None):
    """Additive bias: 0 where attention is allowed, -inf elsewhere."""
    bias = torch.full((length, length), float("-inf")).triu(1)
    if window is not None:
        idx = torch.arange(length)
        far = (idx[:, None] - idx[None, :]) >= window
        bias = bias.masked_fill(far, float("-inf"))
    return bias


def split_heads(x, heads):
    b, t, d = x.shape
    return x.view(b, t, heads, d // heads).transpose(1, 2)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(b, t, h * d)


def scale(d):
    return 1.0 / math.sqrt(d)
