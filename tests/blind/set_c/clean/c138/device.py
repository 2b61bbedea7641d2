import torch


def auto_device(index=0):
    return torch.device(f"cuda:{index}") if torch.cuda.is_available() else torch.device("cpu")


def move(obj, device):
    if hasattr(obj, "to"):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: move(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(move(v, device) for v in obj)
    return obj
