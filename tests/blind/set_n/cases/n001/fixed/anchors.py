import torch
from torch import nn


def shift_grid(height, width, stride):
    ys = (torch.arange(height) + 0.5) * stride
    xs = (torch.arange(width) + 0.5) * stride
    cy, cx = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack([cx, cy, cx, cy], dim=-1).reshape(-1, 1, 4)


class AnchorGenerator(nn.Module):
    def __init__(self, sizes=(16, 32), ratios=(0.5, 1.0, 2.0), stride=8):
        super().__init__()
        self.stride = stride
        cells = []
        for s in sizes:
            for r in ratios:
                w, h = s * r ** 0.5, s / r ** 0.5
                cells.append([-w / 2, -h / 2, w / 2, h / 2])
        self.register_buffer("cells", torch.tensor(cells))

    @property
    def per_location(self):
        return len(self.cells)

    def forward(self, feature):
        h, w = feature.shape[-2:]
        shifts = shift_grid(h, w, self.stride).to(self.cells.device)
        return (shifts + self.cells.unsqueeze(0)).reshape(-1, 4)
