"""Graph convolution whose sparse propagation matrix follows the module without being part of the checkpoint."""
import torch
from torch import nn
import torch.nn.functional as F


def normalised_adjacency(edge_index, n):
    loops = torch.arange(n)
    rows = torch.cat([edge_index[0], edge_index[1], loops])
    cols = torch.cat([edge_index[1], edge_index[0], loops])
    dense = torch.zeros(n, n)
    dense[rows, cols] = 1.0
    inv = dense.sum(1).rsqrt()
    return inv[:, None] * dense * inv[None, :]


class GraphNet(nn.Module):
    def __init__(self, adjacency, din, hidden, classes):
        super().__init__()
        self.adjacency = adjacency
        self.lin1 = nn.Linear(din, hidden)
        self.lin2 = nn.Linear(hidden, classes)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.adjacency = fn(self.adjacency)
        return self

    def forward(self, x):
        h = F.relu(self.adjacency @ self.lin1(x))
        h = F.dropout(h, 0.5, training=self.training)
        return self.adjacency @ self.lin2(h)


class NodeClassification:
    def __init__(self, n=30, classes=3, device="cpu"):
        self.device = torch.device(device)
        edges = torch.randint(0, n, (2, 80))
        self.model = GraphNet(normalised_adjacency(edges, n), 8, 16, classes).to(self.device)
        self.x = torch.randn(n, 8, device=self.device)
        self.y = torch.randint(0, classes, (n,), device=self.device)
        order = torch.randperm(n)
        self.train_idx, self.test_idx = order[:20], order[20:]
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2, weight_decay=5e-4)

    def fit(self, epochs):
        for _ in range(epochs):
            self.model.train()
            loss = F.cross_entropy(self.model(self.x)[self.train_idx], self.y[self.train_idx])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return self

    @torch.no_grad()
    def score(self):
        self.model.eval()
        predicted = self.model(self.x).argmax(dim=1)
        return (predicted[self.test_idx] == self.y[self.test_idx]).float().mean().item()


if __name__ == "__main__":
    task = NodeClassification(device="cuda" if torch.cuda.is_available() else "cpu")
    print(f"accuracy {task.fit(5).score():.2f}")
