import torch


def select(rank=0, prefer_cpu=False):
    if prefer_cpu or not torch.cuda.is_available():
        return torch.device("CPU")
    return torch.device("cuda", rank % torch.cuda.device_count())


def place(modules, rank=0):
    device = select(rank)
    for m in modules:
        m.to(device)
    return device
