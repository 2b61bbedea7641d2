from collections import namedtuple
from collections.abc import Mapping, Sequence

import torch
import torch.nn as nn

Edge = namedtuple("Edge", ["src", "dst"])


class GraphBatch:
    def __init__(self, feats, edge, graph_id, target):
        self.feats = feats
        self.edge = edge
        self.graph_id = graph_id
        self.target = target

    def to(self, device):
        for key, value in vars(self).items():
            setattr(self, key, move(value, device))
        return self

    def detach(self):
        self.feats = self.feats.detach()
        return self

    @property
    def num_graphs(self):
        return self.target.size(0)


def move(obj, device):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, Mapping):
        return {k: move(v, device) for k, v in obj.items()}
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return type(obj)(*(move(v, device) for v in obj))
    if isinstance(obj, Sequence) and not isinstance(obj, str):
        return type(obj)(move(v, device) for v in obj)
    return obj


class MeanConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.self_lin = nn.Linear(d_in, d_out)
        self.nbr_lin = nn.Linear(d_in, d_out)

    def forward(self, x, edge):
        agg = x.new_zeros(x.size(0), x.size(1)).index_add_(0, edge.dst, x[edge.src])
        deg = torch.bincount(edge.dst, minlength=x.size(0)).clamp(min=1)
        return torch.relu(self.self_lin(x) + self.nbr_lin(agg / deg[:, None]))


class GraphNet(nn.Module):
    def __init__(self, d_in, hidden, n_out):
        super().__init__()
        self.c1, self.c2 = MeanConv(d_in, hidden), MeanConv(hidden, hidden)
        self.readout = nn.Linear(hidden, n_out)

    def forward(self, batch):
        h = self.c2(self.c1(batch.feats, batch.edge), batch.edge)
        pooled = torch.zeros(batch.num_graphs, h.size(1), dtype=h.dtype, device=h.device)
        pooled = pooled.index_add(0, batch.graph_id, h)
        return self.readout(pooled)


def random_batch(n_graphs=4, n_nodes=6, n_edges=40):
    total = n_graphs * n_nodes
    edge = Edge(torch.randint(0, total, (n_edges,)), torch.randint(0, total, (n_edges,)))
    gid = torch.arange(n_graphs).repeat_interleave(n_nodes)
    return GraphBatch(torch.randn(total, 5), edge, gid, torch.randint(0, 2, (n_graphs,)))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GraphNet(5, 16, 2).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    batches = [random_batch() for _ in range(6)]
    for batch in batches:
        batch.to(device)
        batch.detach()
    for epoch in range(2):
        for batch in batches:
            loss = nn.functional.cross_entropy(model(batch), batch.target)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
    extra = move({"ids": [torch.ones(2), torch.zeros(1)], "name": "toy"}, device)
    print({k: type(v).__name__ for k, v in extra.items()})


if __name__ == "__main__":
    main()
