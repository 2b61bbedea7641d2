import torch
from torch import nn
import torch.nn.functional as F


class CausalConv(nn.Conv1d):
    def forward(self, x):
        pad = (self.kernel_size[0] - 1) * self.dilation[0]
        return super().forward(F.pad(x, (pad, 0)))


class ResidualUnit(nn.Module):
    def __init__(self, c_in, c_out, dilation):
        super().__init__()
        self.c_in, self.c_out = c_in, c_out
        self.filter = CausalConv(c_in, c_out, 2, dilation=dilation)
        self.gate = CausalConv(c_in, c_out, 2, dilation=dilation)

    def shortcut(self, x):
        if self.c_in == self.c_out:
            return x
        match = nn.Conv1d(self.c_in, self.c_out, 1)
        return match(x)

    def forward(self, x):
        y = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        return y + self.shortcut(x)
