import torch


def stage_devices(n):
    """Consecutive stages on the accelerators there are, else all on the host."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        return [torch.device("cpu")] * n
    return [torch.device("cuda", i * count // n) for i in range(n)]


def carry(value, device):
    if torch.is_tensor(value):
        return value.to(device, non_blocking=True)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(carry(v, device) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(carry(v, device) for v in value)
    return value
