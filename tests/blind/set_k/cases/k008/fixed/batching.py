from dataclasses import dataclass, fields

import torch


@dataclass
class GraphBatch:
    nodes: torch.Tensor
    adj: torch.Tensor
    target: torch.Tensor

    def to(self, device):
        for f in fields(self):
            value = getattr(self, f.name)
            setattr(self, f.name, value.to(device))
        return self

    def __len__(self):
        return self.nodes.shape[0]


def random_graphs(count, size, feats):
    for _ in range(count):
        nodes = torch.randn(8, size, feats)
        adj = (torch.rand(8, size, size) > 0.7).float()
        adj = ((adj + adj.transpose(1, 2)) > 0).float() + torch.eye(size)
        yield GraphBatch(nodes, adj / adj.sum(-1, keepdim=True), nodes.mean((1, 2)))
