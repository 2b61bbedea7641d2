import math
from collections import defaultdict
from typing import Iterator, List

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Imbalanced(Dataset):
    def __init__(self, counts=(60, 15, 5), dim=6):
        xs, ys = [], []
        for label, n in enumerate(counts):
            xs.append(torch.randn(n, dim) + label)
            ys += [label] * n
        self.x, self.y = torch.cat(xs), ys

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class BalancedBatches(Sampler[List[int]]):
    def __init__(self, labels, per_class, seed=0):
        self.per_class = per_class
        self.pools = defaultdict(list)
        for i, y in enumerate(labels):
            self.pools[y].append(i)
        self.generator = torch.Generator()
        self.seed = seed
        self.epoch = 0
        self.batches = math.ceil(len(labels) / (per_class * len(self.pools)))

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.batches

    def __iter__(self) -> Iterator[List[int]]:
        self.generator.manual_seed(self.seed + self.epoch)
        for _ in range(self.batches):
            batch = []
            for pool in self.pools.values():
                picks = torch.randint(len(pool), (self.per_class,), generator=self.generator)
                batch += [pool[p] for p in picks.tolist()]
            yield batch


def triplet(emb, y, margin=0.3):
    d = torch.cdist(emb, emb)
    same = y[:, None] == y[None]
    eye = torch.eye(len(y), dtype=torch.bool, device=y.device)
    hardest = d.masked_fill(~same | eye, float("-inf")).amax(1)
    nearest = d.masked_fill(same, float("inf")).amin(1)
    return (hardest - nearest + margin).relu().mean()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Imbalanced()
    sampler = BalancedBatches(data.y, per_class=4)
    loader = DataLoader(data, batch_sampler=sampler, pin_memory=device.type == "cuda")
    trunk = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8)).to(device)
    head = nn.Linear(8, 3).to(device)
    weight = torch.tensor([0.5, 1.0, 2.0])
    criterion = nn.CrossEntropyLoss(weight=weight).to(device)
    opt = torch.optim.Adam([{"params": trunk.parameters()}, {"params": head.parameters(), "lr": 1e-2}], lr=1e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            emb = trunk(x)
            loss = criterion(head(emb), y) + triplet(emb, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
