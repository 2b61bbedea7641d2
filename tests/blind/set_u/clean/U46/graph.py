import torch


class Graph(dict):
    """A dict of tensors that can be moved as one."""

    def to(self, device):
        return Graph((k, v.to(device) if torch.is_tensor(v) else v) for k, v in self.items())

    @property
    def device(self):
        return self["x"].device

    @property
    def num_nodes(self):
        return self["x"].size(0)


def random_graph(n=12, e=30, feats=8, name="g"):
    return Graph(
        x=torch.randn(n, feats),
        edge_index=torch.randint(0, n, (2, e)),
        y=torch.randint(0, 3, (n,)),
        name=name,
    )
