import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, widths=(8, 16)):
        super().__init__()
        self.levels = nn.ModuleList()
        c = 3
        for w in widths:
            self.levels.append(nn.Sequential(nn.Conv2d(c, w, 3, 2, 1), nn.ReLU()))
            c = w
        self.requires_grad_(False)

    def forward(self, x):
        out = []
        for level in self.levels:
            x = level(x)
            out.append(x)
        return out


def gram(f):
    b, c, h, w = f.shape
    f = f.flatten(2)
    return f @ f.mT / (c * h * w)


def laplacian(img):
    k = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]], device=img.device)
    k = k.expand(img.size(1), 1, 3, 3)
    return nn.functional.conv2d(img, k, padding=1, groups=img.size(1))
