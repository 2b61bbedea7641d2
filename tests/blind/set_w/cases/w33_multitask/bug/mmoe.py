import torch
from torch import nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))


class MMoE(nn.Module):
    def __init__(self, schema, experts=3):
        super().__init__()
        self.schema = schema
        self.tables = nn.ModuleDict({k: nn.Embedding(n, schema.dim) for k, n in schema.sparse.items()})
        width = schema.dim * len(schema.sparse) + schema.dense
        self.experts = nn.ModuleList(mlp(width, 16) for _ in range(experts))
        self.gates = {t: nn.Linear(width, experts) for t in schema.tasks}
        self.towers = nn.ModuleDict({t: mlp(16, 1) for t in schema.tasks})

    def forward(self, batch):
        parts = [self.tables[k](batch[k]) for k in self.schema.sparse]
        x = torch.cat(parts + [batch["dense"]], dim=-1)
        e = torch.stack([f(x) for f in self.experts], dim=1)
        out = {}
        for task, tower in self.towers.items():
            g = self.gates[task](x).softmax(-1)
            out[task] = tower((g[..., None] * e).sum(1)).squeeze(-1)
        return out
