"""Graph convolution in plain torch."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def with_self_loops(edge_index, num_nodes):
    loop = torch.arange(num_nodes, device=edge_index.device).repeat(2, 1)
    return torch.cat([edge_index, loop], dim=1)


def symmetric_norm(edge_index, num_nodes, dtype):
    row, col = edge_index
    deg = torch.zeros(num_nodes, dtype=dtype, device=edge_index.device)
    deg.scatter_add_(0, row, torch.ones_like(row, dtype=dtype))
    inv = deg.clamp(min=1).rsqrt()
    return inv[row] * inv[col]


class GraphConv(nn.Module):
    def __init__(self, c_in, c_out, bias=True):
        super().__init__()
        self.lin = nn.Linear(c_in, c_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(c_out)) if bias else None

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index = with_self_loops(edge_index, n)
        norm = symmetric_norm(edge_index, n, x.dtype)
        row, col = edge_index
        msg = self.lin(x)[row] * norm.unsqueeze(-1)
        out = torch.zeros(n, msg.size(-1), dtype=msg.dtype, device=msg.device).index_add(0, col, msg)
        return out if self.bias is None else out + self.bias


class GCN(nn.Module):
    def __init__(self, c_in, hidden, classes, p=0.5):
        super().__init__()
        self.conv1 = GraphConv(c_in, hidden)
        self.conv2 = GraphConv(hidden, classes)
        self.p = p

    def forward(self, x, edge_index):
        h = F.relu(self.conv1(x, edge_index))
        h = F.dropout(h, self.p, self.training)
        return self.conv2(h, edge_index)
