"""Graph classification; a batch object moves itself."""
import torch
from torch import nn


class GraphBatch:
    def __init__(self, x, edges, owner, y):
        self.x, self.edges, self.owner, self.y = x, edges, owner, y

    @classmethod
    def collate(cls, graphs):
        xs, es, owner, ys, shift = [], [], [], [], 0
        for i, (x, e, y) in enumerate(graphs):
            xs.append(x)
            es.append(e + shift)
            owner.append(torch.full((len(x),), i))
            ys.append(y)
            shift += len(x)
        return cls(torch.cat(xs), torch.cat(es, dim=1), torch.cat(owner), torch.tensor(ys))

    def to(self, device):
        for name in ("x", "edges", "owner", "y"):
            setattr(self, name, getattr(self, name).to(device))
        return self

    @property
    def size(self):
        return self.y.numel()


class GINConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o))

    def forward(self, x, edges):
        agg = torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]])
        return self.mlp((1 + self.eps) * x + agg)


class GIN(nn.Module):
    def __init__(self, dims=(4, 16, 16), classes=2):
        super().__init__()
        self.convs = nn.ModuleList(GINConv(a, b) for a, b in zip(dims, dims[1:]))
        self.fc = nn.Linear(dims[-1], classes)

    def forward(self, batch: GraphBatch):
        x = batch.x
        for conv in self.convs:
            x = conv(x, batch.edges).relu()
        pooled = x.new_zeros(batch.size, x.size(1)).index_add_(0, batch.owner, x)
        return self.fc(pooled)


def random_graph():
    n = int(torch.randint(3, 7, (1,)))
    return torch.randn(n, 4), torch.randint(0, n, (2, 2 * n)), n % 2


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    graphs = [random_graph() for _ in range(18)]
    loader = torch.utils.data.DataLoader(graphs, batch_size=6, shuffle=True, collate_fn=GraphBatch.collate)
    model = GIN()
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for batch in loader:
        batch.to(device)
        loss = nn.functional.cross_entropy(model(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
