"""A minimal graph batch, after the ones in the big graph libraries."""
import torch


class MolBatch:
    FIELDS = ("x", "edge_index", "batch", "y")

    def __init__(self, **fields):
        for name in self.FIELDS:
            setattr(self, name, fields[name])

    @classmethod
    def from_list(cls, graphs):
        xs, edges, owner, ys, base = [], [], [], [], 0
        for i, (x, e, y) in enumerate(graphs):
            xs.append(x)
            edges.append(e + base)
            owner.append(torch.full((len(x),), i))
            ys.append(y)
            base += len(x)
        return cls(x=torch.cat(xs), edge_index=torch.cat(edges, 1), batch=torch.cat(owner), y=torch.stack(ys))

    @property
    def num_graphs(self):
        return self.y.size(0)

    def to(self, device):
        for name in self.FIELDS:
            setattr(self, name, getattr(self, name).to(device))
        return self
