import torch
from torch import nn
import torch.nn.functional as F


class Graph:
    """Plain container; .to returns a moved copy."""

    def __init__(self, x, edge_index, y):
        self.x, self.edge_index, self.y = x, edge_index, y
        self.split = {}

    def to(self, device):
        g = Graph(self.x.to(device), self.edge_index.to(device), self.y.to(device))
        g.split = {k: v.to(device) for k, v in self.split.items()}
        return g

    def random_split(self, **fractions):
        order, start = torch.randperm(len(self.y)), 0
        for name, f in fractions.items():
            n = int(f * len(order))
            self.split[name] = order[start:start + n]
            start += n
        return self


def scatter_sum(src, index, n):
    return src.new_zeros(n, src.size(1)).index_add_(0, index, src)


def segment_softmax(score, index, n):
    top = torch.full((n,), float("-inf"), device=score.device).scatter_reduce(0, index, score.detach(), "amax")
    e = (score - top[index]).exp()
    return e / scatter_sum(e[:, None], index, n)[index, 0].clamp(min=1e-9)


class GATLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.att = nn.Parameter(torch.randn(2, o) * 0.1)

    def forward(self, x, edges):
        h = self.lin(x)
        src, dst = edges
        s = F.leaky_relu((h[src] * self.att[0]).sum(1) + (h[dst] * self.att[1]).sum(1), 0.2)
        a = segment_softmax(s, dst, x.size(0))
        return scatter_sum(a[:, None] * h[src], dst, x.size(0))


class GAT(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.l1, self.l2 = GATLayer(i, h), GATLayer(h, o)

    def forward(self, g):
        loops = torch.arange(g.x.size(0), device=g.x.device).expand(2, -1)
        edges = torch.cat([g.edge_index, loops], 1)
        return self.l2(F.dropout(F.elu(self.l1(g.x, edges)), 0.2, self.training), edges)


def accuracy(model, g, part):
    model.eval()
    with torch.no_grad():
        idx = g.split[part]
        return (model(g).argmax(1)[idx] == g.y[idx]).float().mean().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
raw = Graph(torch.randn(40, 6), torch.randint(0, 40, (2, 120)), torch.randint(0, 3, (40,)))
graph = raw.random_split(train=0.5, val=0.2, test=0.3).to(device)
model = GAT(6, 8, 3).to(device)
opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
best = (0.0, 0.0)
for epoch in range(5):
    model.train()
    idx = graph.split["train"]
    loss = F.cross_entropy(model(graph)[idx], graph.y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    best = max(best, (accuracy(model, graph, "val"), accuracy(model, graph, "test")))
print("nodes", len(raw.y), "best", best)
