import torch
from torch import nn
import torch.nn.functional as F


class ContrastiveLoss(nn.Module):
    def __init__(self, device, init=2.0):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor([init], device=device))

    def forward(self, a, b):
        a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
        logits = self.log_scale.exp() * a @ b.t()
        labels = torch.arange(a.size(0), device=a.device)
        return 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))
