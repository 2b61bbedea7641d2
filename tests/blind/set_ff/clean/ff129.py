from __future__ import annotations

from dataclasses import dataclass, fields, replace

import torch
from torch import nn
from torch.utils.data import DataLoader


@dataclass
class Sample:
    tokens: torch.Tensor
    label: int


@dataclass
class Batch:
    tokens: torch.Tensor
    offsets: torch.Tensor
    labels: torch.Tensor

    def to(self, device, non_blocking=False):
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name).to(device, non_blocking=non_blocking))
        return self

    def pin_memory(self):
        return replace(self, **{f.name: getattr(self, f.name).pin_memory() for f in fields(self)})

    def __len__(self):
        return self.labels.numel()


def collate(samples: list[Sample]) -> Batch:
    sizes = torch.tensor([0] + [s.tokens.numel() for s in samples[:-1]])
    return Batch(
        tokens=torch.cat([s.tokens for s in samples]),
        offsets=sizes.cumsum(0),
        labels=torch.tensor([s.label for s in samples]),
    )


class BagClassifier(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean", sparse=True)
        self.fc = nn.Linear(dim, classes)

    def forward(self, batch: Batch):
        return self.fc(self.bag(batch.tokens, batch.offsets))


class OptimizerPair:
    """Sparse rows need their own optimizer."""

    def __init__(self, model):
        self.sparse = torch.optim.SparseAdam(list(model.bag.parameters()), lr=1e-2)
        self.dense = torch.optim.Adam(model.fc.parameters(), lr=1e-3)

    def zero_grad(self):
        self.sparse.zero_grad()
        self.dense.zero_grad()

    def step(self):
        self.sparse.step()
        self.dense.step()


def corpus(n, vocab, classes):
    g = torch.Generator().manual_seed(1)
    for _ in range(n):
        size = int(torch.randint(2, 9, (1,), generator=g))
        tokens = torch.randint(0, vocab, (size,), generator=g)
        yield Sample(tokens, int(tokens.sum()) % classes)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(list(corpus(48, 100, 3)), batch_size=12, shuffle=True, collate_fn=collate,
                        pin_memory=torch.cuda.is_available())
    model = BagClassifier(100, 16, 3).to(device)
    optimizers = OptimizerPair(model)
    for epoch in range(2):
        correct = 0
        for batch in loader:
            batch.to(device)
            logits = model(batch)
            loss = nn.functional.cross_entropy(logits, batch.labels)
            optimizers.zero_grad()
            loss.backward()
            optimizers.step()
            correct += (logits.argmax(1) == batch.labels).sum().item()
        print(epoch, correct / 48)


if __name__ == "__main__":
    main()
