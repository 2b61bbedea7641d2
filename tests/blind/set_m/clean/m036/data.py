import torch


class GraphBatch:
    """Node features, edges and labels of several graphs."""

    def __init__(self, x, edge_index, batch, y):
        self.x, self.edge_index, self.batch, self.y = x, edge_index, batch, y

    def to(self, device):
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, value.to(device))
        return self

    @property
    def num_graphs(self):
        return self.y.size(0)


def random_batch(n_graphs=4, nodes=5, dim=6):
    n = n_graphs * nodes
    edges = torch.randint(0, n, (2, 3 * n))
    return GraphBatch(torch.randn(n, dim), edges, torch.arange(n_graphs).repeat_interleave(nodes), torch.randint(0, 2, (n_graphs,)))
