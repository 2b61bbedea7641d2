import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttention(nn.Module):
    """Single head attention over a dense adjacency matrix."""

    def __init__(self, n_in, n_out, edge_drop=0.2):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.src = nn.Linear(n_out, 1, bias=False)
        self.dst = nn.Linear(n_out, 1, bias=False)
        self.edge_drop = edge_drop

    def forward(self, x, adj):
        h = self.lin(x)
        scores = F.leaky_relu(self.src(h) + self.dst(h).T, 0.2)
        alpha = scores.masked_fill(adj == 0, -1e9).softmax(dim=-1)
        if self.training and self.edge_drop > 0:
            keep = torch.rand_like(alpha) > self.edge_drop
            alpha *= keep
        return alpha @ h


class GAT(nn.Module):
    def __init__(self, n_in, hidden, classes):
        super().__init__()
        self.layer1 = GraphAttention(n_in, hidden)
        self.layer2 = GraphAttention(hidden, classes)

    def forward(self, x, adj):
        return self.layer2(F.elu(self.layer1(x, adj)), adj)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(args.nodes, 6, device=device)
    adj = ((torch.rand(args.nodes, args.nodes, device=device) > 0.7) | torch.eye(args.nodes, device=device).bool()).float()
    labels = torch.randint(0, 3, (args.nodes,), device=device)
    model = GAT(6, 8, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    model.train()
    for epoch in range(args.epochs):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, adj), labels)
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
