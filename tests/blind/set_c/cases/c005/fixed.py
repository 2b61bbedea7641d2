from typing import Optional

import torch
from torch import Tensor, nn


class SpanScorer(nn.Module):
    """Scores every (start, end) span of a sequence of hidden states."""

    def __init__(self, hidden_size: int, dropout: float = 0.1, max_width: int = 8) -> None:
        super().__init__()
        self.start = nn.Linear(hidden_size, hidden_size)
        self.end = nn.Linear(hidden_size, hidden_size)
        self.width = nn.Embedding(max_width + 1, 1)
        self.dropout = nn.Dropout(dropout)
        self.max_width = max_width

    def widths(self, n: int, device: torch.device) -> Tensor:
        pos = torch.arange(n, device=device)
        return (pos[None, :] - pos[:, None]).clamp(min=0, max=self.max_width)

    def forward(self, hidden: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        batch, length, _ = hidden.shape
        if mask is None:
            mask = hidden.new_ones(batch, length, dtype=torch.bool)
        s = self.dropout(self.start(hidden))
        e = self.dropout(self.end(hidden))
        scores = torch.einsum("bih,bjh->bij", s, e)
        scores = scores + self.width(self.widths(length, hidden.device)).squeeze(-1)
        pair = mask.unsqueeze(1) & mask.unsqueeze(2)
        return scores.masked_fill(~pair, -1e4)


class SpanLoss(nn.Module):
    def __init__(self, scorer: SpanScorer) -> None:
        super().__init__()
        self.scorer = scorer
        self.bce = nn.BCEWithLogitsLoss(reduction="none")

    def forward(self, hidden: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        scores = self.scorer(hidden, mask)
        weight = (mask.unsqueeze(1) & mask.unsqueeze(2)).to(scores.dtype)
        return (self.bce(scores, gold) * weight).sum() / weight.sum().clamp(min=1)
