import torch
from torch import nn
import torch.nn.functional as F


class WeightQuantizer(nn.Module):
    """Symmetric per-channel weight quantisation."""

    def __init__(self, bits):
        super().__init__()
        self.top = 2 ** (bits - 1) - 1

    def scale(self, w):
        return w.detach().abs().flatten(1).amax(1).clamp(min=1e-8) / self.top

    def forward(self, w):
        s = self.scale(w).view(-1, *[1] * (w.dim() - 1))
        q = torch.round(w / s).clamp(-self.top, self.top)
        return q * s


class QConv1d(nn.Conv1d):
    def __init__(self, *args, bits=8, **kwargs):
        super().__init__(*args, **kwargs)
        self.quant = WeightQuantizer(bits)

    def forward(self, x):
        w = self.quant(self.weight)
        return F.conv1d(x, w, self.bias, self.stride, self.padding)


def convert(module, bits):
    for name, child in list(module.named_children()):
        if type(child) is nn.Conv1d:
            new = QConv1d(child.in_channels, child.out_channels, child.kernel_size, stride=child.stride, padding=child.padding, bits=bits)
            new.load_state_dict(child.state_dict())
            setattr(module, name, new)
        else:
            convert(child, bits)
    return module
