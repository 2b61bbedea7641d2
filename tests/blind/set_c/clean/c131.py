"""Stateless metrics; callers decide where their tensors live."""
import torch
import torch.nn.functional as F


def compare(pred, target, weight=None):
    err = (pred - target).pow(2)
    if weight is not None:
        err = err * weight
    return err.mean()


def pairwise(a, b, mask):
    return (a @ b.t()) * mask


def masked_mean(values, mask, dim=None):
    mask = mask.to(values)
    if dim is None:
        return (values * mask).sum() / mask.sum().clamp(min=1)
    return (values * mask).sum(dim) / mask.sum(dim).clamp(min=1)


def topk_accuracy(logits, target, ks=(1, 5)):
    ks = [min(k, logits.size(1)) for k in ks]
    hits = logits.topk(max(ks), dim=1).indices.eq(target.unsqueeze(1))
    return [hits[:, :k].any(dim=1).float().mean().item() for k in ks]


def nt_xent(z, temperature=0.5):
    n = z.size(0) // 2
    sim = F.cosine_similarity(z.unsqueeze(1), z.unsqueeze(0), dim=-1) / temperature
    sim.fill_diagonal_(-1e9)
    target = torch.arange(2 * n, device=z.device).roll(n)
    return F.cross_entropy(sim, target)


def running_psnr(pairs):
    total = 0
    for pred, target in pairs:
        total += 10 * torch.log10(1 / F.mse_loss(pred, target)).item()
    return total / len(pairs)
