from dataclasses import dataclass, fields, replace
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    batch: torch.Tensor
    y: Optional[torch.Tensor] = None

    def to(self, device, non_blocking=False):
        moved = {f.name: getattr(self, f.name).to(device, non_blocking=non_blocking)
                 for f in fields(self) if isinstance(getattr(self, f.name), torch.Tensor)}
        return replace(self, **moved)

    @property
    def num_graphs(self):
        return int(self.batch[-1]) + 1

    @classmethod
    def collate(cls, graphs):
        xs, es, bs, ys, off = [], [], [], [], 0
        for i, (x, e, y) in enumerate(graphs):
            xs.append(x)
            es.append(e + off)
            bs.append(torch.full((len(x),), i))
            ys.append(y)
            off += len(x)
        return cls(torch.cat(xs), torch.cat(es, 1), torch.cat(bs), torch.tensor(ys))


class GIN(nn.Module):
    def __init__(self, i=4, h=16, o=2):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h))
        self.readout = nn.Linear(h, o)

    def forward(self, g):
        nbr = torch.zeros_like(g.x).index_add(0, g.edge_index[1], g.x[g.edge_index[0]])
        h = self.mlp((1 + self.eps) * g.x + nbr)
        pooled = h.new_zeros(g.num_graphs, h.size(1)).index_add_(0, g.batch, h)
        return self.readout(pooled)


def random_graph():
    n = int(torch.randint(4, 9, ()))
    y = int(torch.randint(2, ()))
    e = torch.randint(0, n, (2, n * (3 if y else 1)))
    return torch.randn(n, 4) + y, e, y


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    graphs = [random_graph() for _ in range(64)]
    loader = torch.utils.data.DataLoader(graphs, batch_size=16, shuffle=True, collate_fn=GraphBatch.collate)
    model = GIN().to(device)
    opt = torch.optim.Adam(model.parameters(), 1e-2)
    for epoch in range(4):
        correct = 0
        for g in loader:
            g = g.to(device, non_blocking=True)
            out = model(g)
            opt.zero_grad()
            F.cross_entropy(out, g.y).backward()
            opt.step()
            correct += (out.detach().argmax(1) == g.y).sum()
        print(epoch, correct.item() / len(graphs))


if __name__ == "__main__":
    main()
