import torch
from torch import nn
import torch.nn.functional as F

from reversal import GradientReversal


class DANN(nn.Module):
    def __init__(self, din=10, dim=24, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(din, dim), nn.ReLU())
        self.label_head = nn.Linear(dim, classes)
        self.reverse = GradientReversal()
        self.domain_head = nn.Linear(dim, 1)

    def losses(self, source, labels, target):
        f_src, f_tgt = self.features(source), self.features(target)
        task = F.cross_entropy(self.label_head(f_src), labels)
        domain_logits = self.domain_head(self.reverse(torch.cat([f_src, f_tgt]))).squeeze(1)
        domain = torch.cat([torch.zeros(len(f_src)), torch.ones(len(f_tgt))]).to(domain_logits)
        return task, F.binary_cross_entropy_with_logits(domain_logits, domain)
