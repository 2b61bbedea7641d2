import torch
from torch import nn


class GraphBatch:
    def __init__(self, x, edge_index, y):
        self.x, self.edge_index, self.y = x, edge_index, y

    @property
    def device(self):
        return self.x.device

    def to(self, device):
        return GraphBatch(self.x.to(device), self.edge_index.to(device), self.y.to(device))


class SageConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.nbr = nn.Linear(i, o), nn.Linear(i, o)

    def forward(self, x, ei):
        src, dst = ei
        agg = torch.zeros_like(x).index_add_(0, dst, x[src])
        deg = torch.zeros(len(x), device=x.device).index_add_(0, dst, torch.ones_like(dst, dtype=x.dtype))
        return self.own(x) + self.nbr(agg / deg.clamp(min=1).unsqueeze(1))


class Sage(nn.Module):
    def __init__(self, d, h, c):
        super().__init__()
        self.a, self.b = SageConv(d, h), SageConv(h, c)

    def forward(self, g):
        return self.b(self.a(g.x, g.edge_index).relu(), g.edge_index)


def prepare(batch, device):
    if device.type == "cuda" and batch.device.type == "cpu":
        batch = batch.to(device)
    return batch


def random_graph(n=12, m=30):
    return GraphBatch(torch.randn(n, 6), torch.randint(0, n, (2, m)), torch.randint(0, 3, (n,)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Sage(6, 8, 3).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    g = prepare(random_graph(), device)
    loss = nn.functional.cross_entropy(model(g), g.y)
    opt.zero_grad()
    loss.backward()
    opt.step()
