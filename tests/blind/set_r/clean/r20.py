from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Record:
    data: np.ndarray
    label: int


class Records(Dataset):
    def __init__(self, n, width):
        rng = np.random.default_rng(3)
        self.data = [Record(rng.normal(size=width).astype(np.float32), int(i % 2)) for i in range(n)]
        for record in self.data:
            record.data[0] = record.label
            record.data *= 0.5

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        record = self.data[i]
        return torch.from_numpy(record.data), record.label


class Averaged:
    def __init__(self, model, rate=0.9):
        self.rate = rate
        self.data = {k: p.detach().clone() for k, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for k, p in model.named_parameters():
            self.data[k].mul_(self.rate).add_(p, alpha=1 - self.rate)

    def distance(self, model):
        return sum((self.data[k] - p.detach()).norm().item() for k, p in model.named_parameters())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2)).to(device)
mean = Averaged(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(Records(40, 5), batch_size=10, shuffle=True):
    loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p in model.parameters():
            p.clamp_(-1, 1)
    mean.update(model)
print(mean.distance(model))
