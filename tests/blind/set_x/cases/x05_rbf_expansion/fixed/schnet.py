import torch
from torch import nn

from smearing import GaussianSmearing


class Interaction(nn.Module):
    def __init__(self, dim, num_rbf):
        super().__init__()
        self.filter = nn.Sequential(nn.Linear(num_rbf, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, edge_index, rbf):
        src, dst = edge_index
        messages = x[src] * self.filter(rbf)
        agg = torch.zeros_like(x).index_add(0, dst, messages)
        return x + self.lin(agg)


class SchNet(nn.Module):
    def __init__(self, dim=16, layers=2, num_rbf=16):
        super().__init__()
        self.embed = nn.Embedding(10, dim)
        self.smearing = GaussianSmearing(num=num_rbf)
        self.blocks = nn.ModuleList(Interaction(dim, num_rbf) for _ in range(layers))
        self.readout = nn.Linear(dim, 1)

    def forward(self, z, pos, edge_index):
        src, dst = edge_index
        rbf = self.smearing((pos[src] - pos[dst]).norm(dim=-1))
        x = self.embed(z)
        for block in self.blocks:
            x = block(x, edge_index, rbf)
        return self.readout(x).sum()


def molecule(n, device):
    z = torch.randint(1, 10, (n,), device=device)
    pos = torch.randn(n, 3, device=device)
    idx = torch.arange(n, device=device)
    src = idx.repeat_interleave(n - 1)
    dst = torch.cat([idx[idx != i] for i in range(n)])
    return z, pos, torch.stack([src, dst])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SchNet().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for n in (3, 5, 4):
        energy = model(*molecule(n, device))
        loss = (energy + 1.0) ** 2
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
