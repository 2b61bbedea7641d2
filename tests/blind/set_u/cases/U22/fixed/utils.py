import torch


def to_device(obj, device):
    """Move what can be moved; leave paths, names and ids alone."""
    if isinstance(obj, dict):
        return {k: to_device(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(v, device) for v in obj)
    if torch.is_tensor(obj):
        return obj.to(device, non_blocking=True)
    return obj
