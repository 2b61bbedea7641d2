import torch


def pick_stages(n):
    """One device per pipeline stage, in order; reuses the last one when there are fewer."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        return [torch.device("cpu")] * n
    return [torch.device("cuda", min(i, count - 1)) for i in range(n)]
