import numpy as np
import torch


def gaussian_kernel(size=5, sigma=1.2):
    ax = np.arange(size, dtype=np.float32) - size // 2
    k = np.exp(-(ax[:, None] ** 2 + ax[None] ** 2) / (2 * sigma**2))
    return torch.from_numpy(k / k.sum())[None, None]


def sobel():
    gx = torch.tensor([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
    return torch.stack([gx, gx.T])[:, None]
