from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

Sample = namedtuple("Sample", "data label")


@dataclass
class GraphBatch:
    data: torch.Tensor
    edges: torch.Tensor
    label: torch.Tensor

    def to(self, device):
        return GraphBatch(self.data.to(device), self.edges.to(device), self.label.to(device))


class Rings(Dataset):
    def __init__(self, n=48, nodes=6):
        rng = np.random.default_rng(0)
        self.data = rng.normal(size=(n, nodes, 4)).astype(np.float32)
        self.data -= self.data.mean(axis=(1, 2), keepdims=True)
        self.label = (np.abs(self.data).max(axis=(1, 2)) > 2.2).astype(np.int64)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return Sample(torch.from_numpy(self.data[i]), int(self.label[i]))


def collate(samples):
    data = torch.stack([s.data for s in samples])
    nodes = torch.arange(data.size(1))
    edges = torch.stack([nodes, nodes.roll(-1)])
    return GraphBatch(data, edges, torch.tensor([s.label for s in samples]))


class GCN(nn.Module):
    def __init__(self, cin=4, hidden=16):
        super().__init__()
        self.a = nn.Linear(2 * cin, hidden)
        self.b = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, 2)

    @staticmethod
    def gather(h, edges):
        src, dst = edges
        return torch.zeros_like(h).index_add(1, dst, h[:, src])

    def forward(self, batch):
        h = batch.data
        for layer in (self.a, self.b):
            h = torch.relu(layer(torch.cat([h, self.gather(h, batch.edges)], dim=-1)))
        return self.out(h.mean(1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Rings(), batch_size=12, shuffle=True, collate_fn=collate)
    model = GCN().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        for batch in loader:
            batch = batch.to(device)
            batch.data = batch.data + 0.01 * torch.randn_like(batch.data)
            loss = nn.functional.cross_entropy(model(batch), batch.label)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), loader.dataset.data.shape)


if __name__ == "__main__":
    main()
