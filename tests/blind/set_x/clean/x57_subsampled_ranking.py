"""Listwise ranking; rows are picked by indices drawn on the host."""
import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, features=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class ListSampler:
    """Yields random lists of candidates; always the same ones for a seed."""

    def __init__(self, total, length, seed=0):
        self.total, self.length = total, length
        self.rng = torch.Generator().manual_seed(seed)

    def __iter__(self):
        order = torch.randperm(self.total, generator=self.rng)
        for start in range(0, self.total - self.length + 1, self.length):
            yield order[start : start + self.length]


def listmle(scores, relevance):
    order = relevance.argsort(descending=True)
    s = scores[order]
    return (s.flip(0).logcumsumexp(0).flip(0) - s).mean()


class RankTrainer:
    def __init__(self, items, relevance, device):
        self.items = items.to(device)
        self.relevance = relevance.to(device)
        self.model = Ranker(items.size(1)).to(device)
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=1e-3)

    def epoch(self, sampler):
        total = torch.zeros(())
        for idx in sampler:
            loss = listmle(self.model(self.items[idx]), self.relevance[idx])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total = total + loss.detach()
        return total.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    items = torch.randn(60, 8)
    trainer = RankTrainer(items, items[:, 0] * 2 + items[:, 3], device)
    sampler = ListSampler(60, 10)
    for _ in range(2):
        print(trainer.epoch(sampler))


if __name__ == "__main__":
    main()
