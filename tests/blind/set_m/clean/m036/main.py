import torch
from torch import nn
from data import random_batch


class GNN(nn.Module):
    def __init__(self, dim=6, hidden=16):
        super().__init__()
        self.lin_self = nn.Linear(dim, hidden)
        self.lin_nbr = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, g):
        src, dst = g.edge_index
        agg = torch.zeros_like(g.x).index_add(0, dst, g.x[src])
        h = torch.relu(self.lin_self(g.x) + self.lin_nbr(agg))
        pooled = h.new_zeros(g.num_graphs, h.size(1)).index_add(0, g.batch, h)
        return self.out(pooled)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GNN()
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(5):
        batch = random_batch()
        batch.to(device)
        loss = nn.functional.cross_entropy(model(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
