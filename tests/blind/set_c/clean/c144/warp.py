import torch
import torch.nn.functional as F
from torch import nn

from ops import make_grid, tensor_kwargs, zeros_for


class FlowWarp(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.flow = nn.Conv2d(2 * channels, 2, 3, padding=1)
        nn.init.zeros_(self.flow.weight)
        nn.init.zeros_(self.flow.bias)

    def forward(self, a, b):
        n, _, h, w = a.shape
        flow = self.flow(torch.cat([a, b], 1)).permute(0, 2, 3, 1)
        grid = make_grid(h, w, like=a) + flow
        warped = F.grid_sample(b, grid, align_corners=True)
        border = zeros_for(a, n, 1, h, w)
        border[..., 0] = 1
        weight = torch.ones(n, 1, h, w, **tensor_kwargs(a)) - border
        return warped * weight, flow
