from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GraphBatch:
    x: torch.Tensor
    adj: torch.Tensor
    y: torch.Tensor

    @classmethod
    def random(cls, n=24, feats=8, p=0.2):
        a = (torch.rand(n, n) < p).float()
        a = ((a + a.t() + torch.eye(n)) > 0)
        x = torch.randn(n, feats)
        y = (a.float() @ x).argmax(1) % 3
        return cls(x, a, y)


class GATLayer(nn.Module):
    def __init__(self, n_in, n_out, heads, edge_drop=0.2):
        super().__init__()
        self.heads = heads
        self.edge_drop = edge_drop
        self.w = nn.Linear(n_in, heads * n_out, bias=False)
        self.src = nn.Parameter(torch.randn(heads, n_out) * 0.1)
        self.dst = nn.Parameter(torch.randn(heads, n_out) * 0.1)

    def coefficients(self, h, adj):
        e = (h * self.src).sum(-1)[:, None] + (h * self.dst).sum(-1)[None]
        e = F.leaky_relu(e, 0.2).masked_fill(~adj.unsqueeze(-1), float("-inf"))
        return e.softmax(dim=1)

    def drop_edges(self, alpha):
        if self.training:
            keep = torch.rand(alpha.shape[:2], device=alpha.device) >= self.edge_drop
            alpha = alpha * (keep.unsqueeze(-1) / (1 - self.edge_drop))
        return alpha

    def forward(self, x, adj):
        h = self.w(x).view(len(x), self.heads, -1)
        alpha = self.drop_edges(self.coefficients(h, adj))
        return torch.einsum("ijh,jhd->ihd", alpha, h).flatten(1)


class GAT(nn.Module):
    def __init__(self, feats=8, hidden=8, classes=3, heads=2):
        super().__init__()
        self.l1 = GATLayer(feats, hidden, heads)
        self.l2 = GATLayer(hidden * heads, classes, 1)

    def forward(self, g):
        return self.l2(F.elu(self.l1(g.x, g.adj)), g.adj)


def fit(model, graph, train_nodes, epochs=5):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    for epoch in range(epochs):
        model.train()
        loss = F.cross_entropy(model(graph)[train_nodes], graph.y[train_nodes])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(graph).argmax(1) == graph.y).float().mean()
        print(epoch, loss.item(), accuracy.item())


if __name__ == "__main__":
    torch.manual_seed(0)
    fit(GAT(), GraphBatch.random(), torch.arange(12))
