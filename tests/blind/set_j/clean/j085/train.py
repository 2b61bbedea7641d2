import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from structures import GraphBatch


class GIN(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h))
        self.out = nn.Linear(h, 1)

    def forward(self, b):
        src, dst = b.edge_index
        agg = torch.zeros_like(b.x).index_add_(0, dst, b.x[src])
        h = self.mlp((1 + self.eps) * b.x + agg)
        pooled = h.new_zeros(len(b), h.size(1)).index_add_(0, b.graph, h)
        return self.out(pooled).squeeze(1)


def graphs(n):
    for _ in range(n):
        k = int(torch.randint(3, 7, ()))
        yield torch.randn(k, 4), torch.randint(0, k, (2, 2 * k)), float(k % 2)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(list(graphs(24)), batch_size=8, shuffle=True, collate_fn=GraphBatch.collate)
model = GIN(4, 16)
model.to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for batch in loader:
        batch.to(device)
        loss = F.binary_cross_entropy_with_logits(model(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())
