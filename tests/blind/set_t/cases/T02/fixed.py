import torch
from torch import nn
import torch.nn.functional as F


class DiffusionConv(nn.Module):
    """K-hop graph convolution over a fixed road network."""

    def __init__(self, adj, in_dim, out_dim, hops=2):
        super().__init__()
        deg = adj.sum(1).clamp(min=1)
        self.register_buffer("walk", adj / deg[:, None])
        self.hops = hops
        self.lin = nn.Linear(in_dim * (hops + 1), out_dim)

    def forward(self, x):
        feats = [x]
        for _ in range(self.hops):
            feats.append(torch.einsum("ij,bjf->bif", self.walk, feats[-1]))
        return self.lin(torch.cat(feats, dim=-1))


class TrafficNet(nn.Module):
    def __init__(self, adj, history=12, horizon=3, hidden=16):
        super().__init__()
        self.conv1 = DiffusionConv(adj, history, hidden)
        self.conv2 = DiffusionConv(adj, hidden, hidden)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        h = F.relu(self.conv1(x))
        h = F.relu(self.conv2(h))
        return self.out(h)


def smoothness(pred, walk):
    """Neighbouring sensors should not disagree too much."""
    mean = torch.einsum("ij,bjf->bif", walk, pred)
    return (pred - mean).pow(2).mean()


def build(n_sensors):
    coords = torch.rand(n_sensors, 2)
    adj = torch.exp(-torch.cdist(coords, coords) / 0.2)
    adj[adj < 0.1] = 0
    return TrafficNet(adj)


def main():
    torch.manual_seed(3)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n = 10
    model = build(n)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.to(device)
    walk = model.conv1.walk
    history = torch.randn(48, n, 12)
    future = torch.randn(48, n, 3)
    for epoch in range(2):
        order = torch.randperm(len(history))
        for idx in order.split(16):
            x = history[idx].to(device)
            y = future[idx].to(device)
            pred = model(x)
            loss = F.l1_loss(pred, y) + 0.1 * smoothness(pred, walk)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
