import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim, dilation):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, 3, padding=dilation, dilation=dilation)
        self.gate = nn.Conv1d(dim, dim, 1)

    def forward(self, x):
        h = self.conv(x).tanh() * self.gate(x).sigmoid()
        return x + h


def stack(dim, depth):
    for i in range(depth):
        yield Block(dim, 2 ** i)
