import torch
from torch import nn


class GINLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add(0, dst, x[src])
        return self.mlp((1 + self.eps) * x + agg)


class GIN(nn.Module):
    def __init__(self, n_atom=5, d=16, layers=2):
        super().__init__()
        self.atom = nn.Embedding(n_atom, d)
        self.layers = nn.ModuleList(GINLayer(d) for _ in range(layers))
        self.out = nn.Linear(d, 1)

    def forward(self, g):
        h = self.atom(g.x)
        for layer in self.layers:
            h = h + layer(h, g.edge_index).relu()
        pooled = h.new_zeros(g.num_graphs, h.size(1)).index_add(0, g.batch, h)
        return self.out(pooled).squeeze(-1)
