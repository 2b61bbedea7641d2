"""Sinusoidal positions that grow on demand and follow the input."""
import math
from typing import Optional

import torch
from torch import nn


class SinusoidalPositions(nn.Module):
    def __init__(self, dim: int, initial: int = 8):
        super().__init__()
        self.dim = dim
        self.weights: Optional[torch.Tensor] = self.table(initial)

    def table(self, length: int) -> torch.Tensor:
        half = self.dim // 2
        freq = torch.exp(torch.arange(half).float() * -(math.log(10000.0) / (half - 1)))
        angle = torch.arange(length).float().unsqueeze(1) * freq.unsqueeze(0)
        return torch.cat([angle.sin(), angle.cos()], dim=1)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        need = tokens.size(1)
        if self.weights is None or need > self.weights.size(0):
            self.weights = self.table(max(need, 2 * self.weights.size(0)))
        self.weights = self.weights.to(tokens.device)
        return self.weights[:need].unsqueeze(0).expand(tokens.size(0), -1, -1)


class LanguageModel(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pos = SinusoidalPositions(dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, ids):
        h, _ = self.mix(self.embed(ids) + self.pos(ids))
        return self.out(h)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    lm = LanguageModel()
    lm.eval()
    with torch.no_grad():
        lm(torch.zeros(1, 20, dtype=torch.long))
    lm.to(device).train()
    opt = torch.optim.Adam(lm.parameters(), lr=1e-3)
    for n in (6, 40, 12):
        ids = torch.randint(0, 30, (2, n), device=device)
        logits = lm(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
