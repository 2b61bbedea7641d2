import torch


def make_grid(h, w, like=None, device=None, dtype=torch.float32):
    if like is not None:
        device, dtype = like.device, like.dtype
    ys = torch.linspace(-1, 1, h, device=device, dtype=dtype)
    xs = torch.linspace(-1, 1, w, device=device, dtype=dtype)
    return torch.stack(torch.meshgrid(ys, xs, indexing="ij"), dim=-1).flip(-1)


def zeros_for(x, *shape):
    return torch.zeros(*shape, **tensor_kwargs(x))


def tensor_kwargs(x):
    return {"device": x.device, "dtype": x.dtype}
