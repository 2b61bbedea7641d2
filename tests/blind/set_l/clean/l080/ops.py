import torch


def segment_mean(x, index, n):
    """Mean of rows per segment. All on the device of x."""
    out = x.new_zeros(n, x.size(1)).index_add_(0, index, x)
    count = torch.bincount(index, minlength=n).clamp(min=1)
    return out / count.unsqueeze(1)


def segment_softmax(score, index, n):
    top = torch.full((n,), float("-inf"), device=score.device).scatter_reduce(0, index, score, "amax")
    e = (score - top[index].detach()).exp()
    return e / torch.zeros_like(top).index_add(0, index, e)[index]


def batch_vector(sizes, device):
    sizes = torch.as_tensor(sizes)
    return torch.repeat_interleave(torch.arange(len(sizes)), sizes).to(device)
