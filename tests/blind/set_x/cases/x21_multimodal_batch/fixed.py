"""Image-text matching with a dataclass batch."""
from dataclasses import dataclass, fields

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class PairBatch:
    pixels: torch.Tensor
    tokens: torch.Tensor
    weight: torch.Tensor

    def to(self, device) -> "PairBatch":
        for f in fields(self):
            value = getattr(self, f.name)
            if torch.is_tensor(value):
                setattr(self, f.name, value.to(device, non_blocking=True))
        return self

    def __len__(self):
        return self.pixels.size(0)


class TwoTower(nn.Module):
    def __init__(self, dim=16, vocab=50):
        super().__init__()
        self.vision = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, dim))
        self.text = nn.EmbeddingBag(vocab, dim)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, batch: PairBatch):
        image = F.normalize(self.vision(batch.pixels), dim=-1)
        text = F.normalize(self.text(batch.tokens), dim=-1)
        return self.scale.exp() * image @ text.t()


def contrastive(logits, weight):
    labels = torch.arange(logits.size(0), device=logits.device)
    rows = F.cross_entropy(logits, labels, reduction="none")
    cols = F.cross_entropy(logits.t(), labels, reduction="none")
    return ((rows + cols) * weight).mean() / 2


def stream(n, size=6):
    for _ in range(n):
        yield PairBatch(torch.randn(size, 3, 8, 8), torch.randint(0, 50, (size, 5)), torch.rand(size))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TwoTower().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for batch in stream(3):
        batch = batch.to(device)
        loss = contrastive(model(batch), batch.weight)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
