import torch
import torch.nn as nn
import torch.nn.functional as F

from graphdata import random_batch


class GNN(nn.Module):
    def __init__(self, feats=5, dim=16):
        super().__init__()
        self.inp, self.msg, self.out = nn.Linear(feats, dim), nn.Linear(dim, dim), nn.Linear(dim, 1)

    def forward(self, g):
        h = self.inp(g.x).relu()
        src, dst = g.edges
        agg = torch.zeros_like(h).index_add(0, dst, self.msg(h[src]))
        h = (h + agg).relu()
        pooled = h.new_zeros(g.size, h.size(1)).index_add(0, g.owner, h)
        return self.out(pooled).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GNN()
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(8):
        batch = random_batch()
        batch.to(device)
        loss = F.mse_loss(model(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
