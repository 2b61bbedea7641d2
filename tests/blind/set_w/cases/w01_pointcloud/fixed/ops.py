import torch


def pairwise_sq(a, b):
    return (a[:, :, None, :] - b[:, None, :, :]).pow(2).sum(-1)


def farthest_points(xyz, k):
    """Greedy farthest point sampling, (B, N, 3) -> (B, k) indices."""
    b, n, _ = xyz.shape
    chosen = xyz.new_zeros(b, k, dtype=torch.long)
    nearest = torch.full((b, n), float("inf"), device=xyz.device)
    rows = torch.arange(b, device=xyz.device)
    current = xyz.new_zeros(b, dtype=torch.long)
    for i in range(k):
        chosen[:, i] = current
        centre = xyz[rows, current].unsqueeze(1)
        d = (xyz - centre).pow(2).sum(-1)
        nearest = torch.minimum(nearest, d)
        current = nearest.argmax(-1)
    return chosen


def group(xyz, feats, centres, k):
    d = pairwise_sq(centres, xyz)
    idx = d.topk(k, dim=-1, largest=False).indices
    b = torch.arange(xyz.size(0), device=xyz.device)[:, None, None]
    return feats[b, idx]
