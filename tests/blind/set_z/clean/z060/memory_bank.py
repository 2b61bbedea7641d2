import torch
from torch import nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    """Large table on the host; only the rows in use visit the device of the model."""

    def __init__(self, size, dim, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self._rows = F.normalize(torch.randn(size, dim), dim=1)

    @property
    def rows(self):
        return self._rows

    def fetch(self, index, device):
        return self._rows[index.cpu()].to(device, non_blocking=True)

    @torch.no_grad()
    def write(self, index, feats):
        index = index.cpu()
        old = self._rows[index]
        new = self.momentum * old + (1 - self.momentum) * feats.detach().cpu()
        self._rows[index] = F.normalize(new, dim=1)

    def negatives(self, index, k, device):
        cand = torch.randint(0, len(self._rows), (len(index), k))
        return self._rows[cand].to(device)


class NCEHead(nn.Module):
    def __init__(self, bank, k=6, t=0.1):
        super().__init__()
        self.bank, self.k = bank, k
        self.temperature = t

    def forward(self, feats, index):
        pos = (feats * self.bank.fetch(index, feats.device)).sum(1, keepdim=True)
        neg = torch.einsum("bd,bkd->bk", feats, self.bank.negatives(index, self.k, feats.device))
        logits = torch.cat([pos, neg], dim=1) / self.temperature
        target = torch.zeros(len(feats), dtype=torch.long, device=feats.device)
        self.bank.write(index, feats)
        return F.cross_entropy(logits, target)
