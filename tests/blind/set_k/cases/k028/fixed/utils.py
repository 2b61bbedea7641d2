import torch


def send(obj, device):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: send(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(send(v, device) for v in obj)
    return obj


def count(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
