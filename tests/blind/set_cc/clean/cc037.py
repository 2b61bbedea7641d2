import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class GraphBatch:
    """Several small graphs as one, with the graph of each node."""

    def __init__(self, graphs):
        offsets = torch.tensor([0] + [len(g["x"]) for g in graphs]).cumsum(0)
        self.x = torch.cat([g["x"] for g in graphs])
        self.edge_index = torch.cat([g["edge_index"] + o for g, o in zip(graphs, offsets)], dim=1)
        self.y = torch.tensor([g["y"] for g in graphs])
        self.graph = torch.repeat_interleave(torch.arange(len(graphs)), offsets.diff())
        self.num_graphs = len(graphs)

    def to(self, device, non_blocking=False):
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, value.to(device, non_blocking=non_blocking))


class Molecules(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        n = 4 + i % 5
        x = torch.randn(n, 6)
        return {"x": x, "edge_index": torch.randint(0, n, (2, 3 * n)), "y": x.mean().item()}


class GIN(nn.Module):
    def __init__(self, dim=6, hidden=16):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(()))
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.out = nn.Linear(hidden, 1)

    def forward(self, batch):
        src, dst = batch.edge_index
        neighbours = torch.zeros_like(batch.x).index_add_(0, dst, batch.x[src])
        h = self.mlp((1 + self.eps) * batch.x + neighbours)
        pooled = h.new_zeros(batch.num_graphs, h.shape[1]).index_add(0, batch.graph, h)
        return self.out(pooled).squeeze(-1)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = GIN()
model.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
loader = DataLoader(Molecules(), batch_size=8, shuffle=True, collate_fn=GraphBatch)

for epoch in range(2):
    model.train()
    losses = []
    for batch in loader:
        batch.to(device)
        loss = nn.functional.l1_loss(model(batch), batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    print(epoch, torch.stack(losses).mean().item())
