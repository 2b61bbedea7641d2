import torch
from torch import nn


class MolBatch:
    """Molecules glued into one graph."""

    fields = ("z", "pos", "batch", "energy")

    def __init__(self, mols):
        self.z = torch.cat([m["z"] for m in mols])
        self.pos = torch.cat([m["pos"] for m in mols])
        self.batch = torch.cat([torch.full((len(m["z"]),), i) for i, m in enumerate(mols)])
        self.energy = torch.tensor([m["energy"] for m in mols])

    def to(self, device):
        for f in self.fields:
            setattr(self, f, getattr(self, f).to(device))
        return self

    def __len__(self):
        return len(self.energy)


class Potential(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.emb = nn.Embedding(10, dim)
        self.atom = nn.Sequential(nn.Linear(dim + 1, dim), nn.SiLU(), nn.Linear(dim, 1))

    def forward(self, b):
        same = b.batch[:, None] == b.batch[None]
        d2 = (b.pos[:, None] - b.pos[None]).pow(2).sum(-1)
        density = (torch.exp(-d2) * same).sum(1, keepdim=True)
        e = self.atom(torch.cat([self.emb(b.z), density], 1)).squeeze(1)
        return e.new_zeros(len(b)).index_add(0, b.batch, e)


def molecule():
    n = int(torch.randint(2, 6, (1,)))
    return {"z": torch.randint(1, 10, (n,)), "pos": torch.randn(n, 3), "energy": float(n)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Potential().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    batch = MolBatch([molecule() for _ in range(4)])
    batch.to(device)
    batch.pos.requires_grad_(True)
    energy = net(batch)
    force = -torch.autograd.grad(energy.sum(), batch.pos, create_graph=True)[0]
    loss = (energy - batch.energy).pow(2).mean() + 0.1 * force.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
