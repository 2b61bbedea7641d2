"""Graph batches with their own transfer method."""
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class GraphBatch:
    x: Tensor
    edge_index: Tensor
    batch: Tensor
    y: Tensor

    def to(self, device):
        self.x = self.x.to(device)
        self.edge_index = self.edge_index.to(device)
        self.batch = self.batch.to(device)
        self.y = self.y.to(device)
        return self

    @property
    def num_graphs(self):
        return int(self.batch.max()) + 1


class MeanConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(2 * d_in, d_out)

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add_(0, dst, x[src])
        deg = torch.zeros(x.size(0), device=x.device).index_add_(0, dst, torch.ones_like(dst, dtype=x.dtype))
        return torch.relu(self.lin(torch.cat([x, agg / deg.clamp(min=1).unsqueeze(1)], dim=1)))


class GraphNet(nn.Module):
    def __init__(self, d_in, classes, width=8):
        super().__init__()
        self.c1, self.c2 = MeanConv(d_in, width), MeanConv(width, width)
        self.out = nn.Linear(width, classes)

    def forward(self, data):
        h = self.c2(self.c1(data.x, data.edge_index), data.edge_index)
        pooled = h.new_zeros(data.num_graphs, h.size(1)).index_add(0, data.batch, h)
        return self.out(pooled)


def random_batch(graphs=3, nodes=4):
    n = graphs * nodes
    edges = torch.randint(0, nodes, (2, 3 * n)) + (torch.arange(3 * n) % graphs * nodes)
    return GraphBatch(torch.randn(n, 5), edges, torch.arange(graphs).repeat_interleave(nodes), torch.arange(graphs) % 2)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = GraphNet(5, 2).to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        data = random_batch()
        data.to(device)
        loss = nn.functional.cross_entropy(net(data), data.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
