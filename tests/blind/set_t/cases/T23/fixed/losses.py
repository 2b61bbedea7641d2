import torch
from torch import nn
import torch.nn.functional as F


class FilterBankLoss(nn.Module):
    """Compares log energies in fixed filter banks of several widths."""

    def __init__(self, widths=(16, 32), filters=12):
        super().__init__()
        self.banks = nn.ModuleList()
        for w in widths:
            conv = nn.Conv1d(1, filters, w, stride=w // 2, bias=False)
            t = torch.linspace(0, 1, w)
            freq = torch.arange(1, filters + 1).unsqueeze(1)
            kernel = torch.cos(torch.pi * freq * t) * torch.hann_window(w)
            conv.weight = nn.Parameter(kernel.unsqueeze(1), requires_grad=False)
            self.banks.append(conv)

    def energy(self, conv, x):
        return conv(x).square().clamp(min=1e-6).log()

    def forward(self, estimate, target):
        return sum(F.l1_loss(self.energy(c, estimate), self.energy(c, target)) for c in self.banks)
