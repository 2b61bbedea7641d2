import torch


def resolve(name):
    """`auto`, `cpu`, `gpu` or anything that torch.device takes."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    elif name == "gpu":
        name = "cuda"
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise SystemExit(f"{name} was asked for and there is none")
    return device


def device_of(module, default="cpu"):
    p = next(module.parameters(), None)
    return torch.device(default) if p is None else p.device


def same_kind(a, b):
    return a.type == b.type


def to_device(obj, device):
    if hasattr(obj, "to"):
        return obj.to(device)
    if isinstance(obj, dict):
        return {k: to_device(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(v, device) for v in obj)
    return obj
