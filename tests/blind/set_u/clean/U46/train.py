import torch
import torch.nn as nn
import torch.nn.functional as F

from graph import random_graph


class GraphModel(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device


class SAGE(GraphModel):
    def __init__(self, feats=8, hidden=16, classes=3):
        super().__init__()
        self.l1, self.l2 = nn.Linear(feats * 2, hidden), nn.Linear(hidden * 2, classes)

    def aggregate(self, x, edge_index):
        src, dst = edge_index
        out = torch.zeros_like(x).index_add_(0, dst, x[src])
        deg = torch.zeros(x.size(0), device=x.device).index_add_(0, dst, torch.ones(dst.numel(), device=x.device))
        return out / deg.clamp(min=1).unsqueeze(1)

    def forward(self, g):
        x, ei = g["x"], g["edge_index"]
        h = F.relu(self.l1(torch.cat([x, self.aggregate(x, ei)], dim=1)))
        return self.l2(torch.cat([h, self.aggregate(h, ei)], dim=1))


device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
model = SAGE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
graphs = [random_graph(name=f"g{i}") for i in range(4)]
for g in graphs:
    g = g.to(model.device)
    loss = F.cross_entropy(model(g), g["y"])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(g["name"], g.num_nodes, g.device.type, loss.item())
