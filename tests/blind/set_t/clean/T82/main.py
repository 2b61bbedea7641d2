import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from structures import Molecule, MoleculeBatch, to_device


class MPNN(nn.Module):
    def __init__(self, kinds=5, dim=24, rounds=3):
        super().__init__()
        self.rounds = rounds
        self.emb = nn.Embedding(kinds, dim)
        self.message = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU())
        self.update = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, batch):
        h = self.emb(batch.atoms)
        src, dst = batch.bonds
        for _ in range(self.rounds):
            m = self.message(torch.cat([h[src], h[dst]], -1))
            inbox = torch.zeros_like(h).index_add(0, dst, m)
            h = self.update(inbox, h)
        atom = self.out(h).squeeze(-1)
        return atom.new_zeros(len(batch)).index_add(0, batch.owner, atom)


def random_molecule(i):
    n = int(torch.randint(3, 8, ()))
    atoms = torch.randint(0, 5, (n,))
    chain = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return Molecule(atoms, torch.cat([chain, chain.flip(0)], 1), atoms.float().sum() / 4, f"mol{i}")


def collate(items):
    return {"graph": MoleculeBatch(items), "meta": [m.name for m in items]}


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader([random_molecule(i) for i in range(40)], batch_size=8, shuffle=True, collate_fn=collate)
    model = MPNN().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    worst = {}
    for epoch in range(2):
        for batch in loader:
            batch = to_device(batch, device)
            graph = batch["graph"]
            pred = model(graph)
            loss = F.smooth_l1_loss(pred, graph.energy)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            errors = (pred.detach() - graph.energy).abs().tolist()
            worst.update(zip(batch["meta"], errors))
        print(epoch, max(worst, key=worst.get), max(worst.values()))


if __name__ == "__main__":
    main()
