from dataclasses import dataclass, fields

import torch


@dataclass
class Graph:
    nodes: torch.Tensor
    edges: torch.Tensor
    target: torch.Tensor

    def to(self, device):
        """Moves in place, like a module."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name).to(device))
        return self


def random_graph(n=10):
    nodes = torch.randn(n, 4)
    edges = torch.randint(n, (2, 3 * n))
    return Graph(nodes, edges, nodes.sum(dim=1, keepdim=True))
