import torch


class GraphBatch:
    """A bag of graphs; moving it changes it in place, like a module."""

    fields = ("x", "edge_index", "graph", "y")

    def __init__(self, x, edge_index, graph, y):
        self.x, self.edge_index, self.graph, self.y = x, edge_index, graph, y

    @classmethod
    def collate(cls, items):
        xs, es, gs, ys, off = [], [], [], [], 0
        for i, (x, e, y) in enumerate(items):
            xs.append(x)
            es.append(e + off)
            gs.append(torch.full((len(x),), i))
            ys.append(y)
            off += len(x)
        return cls(torch.cat(xs), torch.cat(es, 1), torch.cat(gs), torch.tensor(ys))

    def to(self, device):
        for f in self.fields:
            setattr(self, f, getattr(self, f).to(device))
        return self

    def __len__(self):
        return len(self.y)
