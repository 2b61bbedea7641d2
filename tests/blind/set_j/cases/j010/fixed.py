import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class GraphConv(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.dout = dout
        self.lin = nn.Linear(din, dout)
        self.mix = nn.Linear(dout, dout)

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x)
        agg = torch.zeros_like(h).index_add_(0, dst, h[src])
        deg = torch.zeros(x.size(0), device=x.device).index_add_(0, dst, torch.ones(dst.numel(), device=x.device))
        return F.relu(self.mix(agg / deg.clamp(min=1)[:, None]) + h)


class GNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GraphConv(8, 32)
        self.readout = nn.Linear(32, 1)

    def forward(self, g):
        h = self.conv(g["x"], g["edge_index"])
        pooled = torch.zeros(g["n"], h.size(1), device=h.device).index_add_(0, g["batch"], h)
        return self.readout(pooled).squeeze(-1)


def random_graphs(k=6, nodes=5, edges=12):
    off = torch.arange(k).repeat_interleave(edges) * nodes
    return {
        "x": torch.randn(k * nodes, 8),
        "edge_index": torch.randint(0, nodes, (2, k * edges)) + off,
        "batch": torch.arange(k).repeat_interleave(nodes),
        "y": torch.randn(k),
        "n": k,
    }


net = GNN().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(4):
    g = {k: v.to(device) if torch.is_tensor(v) else v for k, v in random_graphs().items()}
    loss = F.mse_loss(net(g), g["y"])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(float(loss.detach()))
