import torch


def lambda_returns(rewards, values, gamma=0.97, lam=0.9):
    """rewards (T, B), values (T + 1, B) -> (T, B)."""
    nxt, out = values[-1], []
    for r, v in zip(rewards.flip(0), values[1:].flip(0)):
        nxt = r + gamma * ((1 - lam) * v + lam * nxt)
        out.append(nxt)
    return torch.stack(out[::-1])


def normalize(x, mask=None, eps=1e-5):
    mask = torch.ones_like(x) if mask is None else mask
    n = mask.sum().clamp(min=1)
    mean = (x * mask).sum() / n
    var = ((x - mean) ** 2 * mask).sum() / n
    return (x - mean) / (var + eps).sqrt() * mask
