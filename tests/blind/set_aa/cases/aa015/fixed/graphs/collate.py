from dataclasses import dataclass, fields, replace

import torch


@dataclass
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    node_graph: torch.Tensor
    extras: dict
    num_graphs: int = 0

    def to(self, device):
        moved = {
            f.name: getattr(self, f.name).to(device)
            for f in fields(self)
            if torch.is_tensor(getattr(self, f.name))
        }
        extras = {k: v.to(device) for k, v in self.extras.items()}
        return replace(self, extras=extras, **moved)


def collate_graphs(items):
    xs, edges, owner, offset = [], [], [], 0
    for i, g in enumerate(items):
        xs.append(g["x"])
        edges.append(g["edge_index"] + offset)
        owner.append(torch.full((len(g["x"]),), i))
        offset += len(g["x"])
    extras = {k: torch.stack([g[k] for g in items]) for k in ("temperature", "y")}
    return GraphBatch(torch.cat(xs), torch.cat(edges, 1), torch.cat(owner), extras, len(items))
