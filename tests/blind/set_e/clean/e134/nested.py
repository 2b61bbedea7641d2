import torch


def apply(obj, fn):
    """fn on every tensor of a nested structure."""
    if torch.is_tensor(obj):
        return fn(obj)
    if isinstance(obj, dict):
        return type(obj)((k, apply(v, fn)) for k, v in obj.items())
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(apply(v, fn) for v in obj))
    if isinstance(obj, (list, tuple)):
        return type(obj)(apply(v, fn) for v in obj)
    return obj


def move(obj, device):
    return apply(obj, lambda t: t.to(device))


def detach(obj):
    return apply(obj, torch.Tensor.detach)


def concat(items, dim=0):
    first = items[0]
    if torch.is_tensor(first):
        return torch.cat(items, dim)
    if isinstance(first, dict):
        return {k: concat([i[k] for i in items], dim) for k in first}
    return items
