"""Masked-token objective."""
import torch
from torch import nn


class MaskedTokenObjective(nn.Module):
    def __init__(self, mask_id: int, vocab: int, rate: float = 0.3):
        super().__init__()
        self.mask_id = mask_id
        self.vocab = vocab
        self.rate = rate
        self.criterion = nn.CrossEntropyLoss(ignore_index=-100)

    def corrupt(self, ids):
        labels = ids.clone()
        chosen = torch.rand(ids.shape, device=ids.device) < self.rate
        chosen[:, 0] = True
        labels[~chosen] = -100
        noisy = ids.masked_fill(chosen, self.mask_id)
        return noisy, labels

    def forward(self, model, ids):
        noisy, labels = self.corrupt(ids)
        logits = model(noisy)
        return self.criterion(logits.reshape(-1, self.vocab), labels.reshape(-1))
