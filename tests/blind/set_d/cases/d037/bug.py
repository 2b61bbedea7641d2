import torch


def positions(mask, offset=2):
    """Position ids, shifted and set to 1 where padded."""
    b, n = mask.shape
    ids = torch.arange(n, device=mask.device).unsqueeze(0).expand(b, n)
    ids += offset * mask
    return torch.where(mask.bool(), ids, torch.ones_like(ids))
