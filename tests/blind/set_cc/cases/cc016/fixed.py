"""Graph attention on an edge list, no graph library."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--nodes", type=int, default=40)
parser.add_argument("--edges", type=int, default=160)
parser.add_argument("--steps", type=int, default=3)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class GATLayer(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.lin = nn.Linear(din, dout, bias=False)
        self.a_src = nn.Parameter(torch.randn(dout) * 0.1)
        self.a_dst = nn.Parameter(torch.randn(dout) * 0.1)

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x)
        score = F.leaky_relu((h * self.a_src).sum(-1)[src] + (h * self.a_dst).sum(-1)[dst], 0.2)
        weight = torch.exp(score - score.detach().max())
        norm = x.new_zeros(len(x)).index_add(0, dst, weight)
        weight = weight / (norm[dst] + 1e-9)
        out = x.new_zeros(len(x), h.shape[1])
        return out.index_add(0, dst, h[src] * weight.unsqueeze(-1))


class GAT(nn.Module):
    def __init__(self, din, hidden, classes):
        super().__init__()
        self.one, self.two = GATLayer(din, hidden), GATLayer(hidden, classes)

    def forward(self, x, edge_index):
        return self.two(F.elu(self.one(x, edge_index)), edge_index)


x = torch.randn(args.nodes, 10, device=device)
edge_index = torch.randint(0, args.nodes, (2, args.edges), device=device)
y = torch.randint(0, 3, (args.nodes,), device=device)
train_nodes = torch.randperm(args.nodes)[:20]

net = GAT(10, 16, 3).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for step in range(args.steps):
    logits = net(x, edge_index)
    loss = F.cross_entropy(logits[train_nodes], y[train_nodes])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
