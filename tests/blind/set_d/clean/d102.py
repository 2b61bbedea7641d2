import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("centre", torch.zeros(d))
        self.eps = torch.tensor(1e-6)
        self.shape_like = torch.empty(1, d)

    def forward(self, x):
        x = (x - self.centre) / (x.std(0) + self.eps)
        return x.mean(0).view_as(self.shape_like)
