from dataclasses import dataclass

import torch


@dataclass
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_weight: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor

    @property
    def num_graphs(self):
        return self.y.shape[0]

    def to(self, device):
        return GraphBatch(
            x=self.x.to(device),
            edge_index=self.edge_index.to(device),
            edge_weight=self.edge_weight.to(device),
            batch=self.batch.to(device),
            y=self.y.to(device),
        )


def collate(graphs):
    xs, eis, ews, ids, ys = [], [], [], [], []
    offset = 0
    for i, (x, ei, ew, y) in enumerate(graphs):
        xs.append(x)
        eis.append(ei + offset)
        ews.append(ew)
        ids.append(torch.full((x.shape[0],), i))
        ys.append(y)
        offset += x.shape[0]
    return GraphBatch(torch.cat(xs), torch.cat(eis, dim=1), torch.cat(ews), torch.cat(ids), torch.stack(ys))


def random_graph(num_nodes=12, num_edges=40, dim=8):
    x = torch.randn(num_nodes, dim)
    return x, torch.randint(num_nodes, (2, num_edges)), torch.rand(num_edges), x.sum().sign().clamp(min=0)
