import torch
import torch.nn as nn


class Graph:
    def __init__(self, x, edge_index, y):
        self.x, self.edge_index, self.y = x, edge_index, y

    def to(self, device):
        self.x = self.x.to(device)
        self.y = self.y.to(device)
        self.edge_index = self.edge_index.to(device)
        return self

    @property
    def num_nodes(self):
        return self.x.size(0)


def random_graph(nodes=30, edges=90, dim=8, classes=3):
    return Graph(torch.randn(nodes, dim), torch.randint(0, nodes, (2, edges)), torch.randint(0, classes, (nodes,)))


class MeanConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.self_lin = nn.Linear(d_in, d_out)
        self.nbr_lin = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add_(0, dst, x[src])
        deg = x.new_zeros(x.size(0)).index_add_(0, dst, x.new_ones(dst.numel()))
        return self.self_lin(x) + self.nbr_lin(agg / deg.clamp(min=1).unsqueeze(1))
