"""Graph attention layers operating on dense adjacency matrices."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, dropout=0.0, alpha=0.2, concat=True):
        super().__init__()
        self.dropout = dropout
        self.concat = concat
        self.W = nn.Parameter(torch.empty(in_features, out_features))
        self.a = nn.Parameter(torch.empty(2 * out_features, 1))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        nn.init.xavier_uniform_(self.a, gain=1.414)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = h @ self.W
        d = Wh.size(1)
        e = self.leakyrelu(Wh @ self.a[:d] + (Wh @ self.a[d:]).t())
        attention = F.softmax(e.masked_fill(adj == 0, -9e15), dim=1)
        attention *= adj
        attention /= attention.sum(1, keepdim=True).clamp(min=1e-6)
        attention = F.dropout(attention, self.dropout, training=self.training)
        h_prime = attention @ Wh
        return F.elu(h_prime) if self.concat else h_prime


class GAT(nn.Module):
    def __init__(self, nfeat, nhid, nclass, nheads=2):
        super().__init__()
        self.heads = nn.ModuleList([GraphAttentionLayer(nfeat, nhid) for _ in range(nheads)])
        self.out = GraphAttentionLayer(nhid * nheads, nclass, concat=False)

    def forward(self, x, adj):
        x = torch.cat([head(x, adj) for head in self.heads], dim=1)
        return F.log_softmax(self.out(x, adj), dim=1)
