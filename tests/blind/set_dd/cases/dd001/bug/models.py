import torch
from torch import nn
import torch.nn.functional as F

from graph_utils import gcn_norm


class GCNConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.lin = nn.Linear(in_dim, out_dim, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x, edge_index, weight):
        x = self.lin(x)
        row, col = edge_index
        out = x.new_zeros(x.shape)
        out = out.index_add(0, col, x[row] * weight.unsqueeze(-1))
        return out + self.bias


class GCN(nn.Module):
    def __init__(self, in_dim, hidden, classes, dropout=0.5):
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(in_dim, hidden), GCNConv(hidden, classes)])
        self.dropout = dropout

    def forward(self, x, edge_index):
        edge_index, weight = gcn_norm(edge_index, x.size(0))
        x = F.relu(self.convs[0](x, edge_index, weight))
        x = F.dropout(x, self.dropout, training=self.training)
        return self.convs[1](x, edge_index, weight)
