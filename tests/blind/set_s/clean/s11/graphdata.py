import torch


class GraphBatch:
    """A batch of small graphs; `to` moves it where it is."""

    def __init__(self, x, edges, owner, y):
        self.x, self.edges, self.owner, self.y = x, edges, owner, y

    def to(self, device):
        for name, value in vars(self).items():
            setattr(self, name, value.to(device))
        return self

    @property
    def size(self):
        return self.y.size(0)


def random_batch(graphs=4, nodes=6, feats=5):
    n = graphs * nodes
    owner = torch.arange(graphs).repeat_interleave(nodes)
    src = torch.arange(n)
    dst = owner * nodes + (src + 1) % nodes
    x = torch.randn(n, feats)
    y = torch.zeros(graphs).index_add_(0, owner, x[:, 0])
    return GraphBatch(x, torch.stack([src, dst]), owner, y)
