import copy
import itertools

import torch
from torch import nn


class SoftExperts(nn.Module):
    def __init__(self, dim, names):
        super().__init__()
        self.names = list(names)
        self.experts = nn.ModuleDict({n: nn.Linear(dim, dim) for n in self.names})
        self.gains = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in self.names])
        self.router = nn.Linear(dim, len(self.names))
        pairs = [(nn.LayerNorm(dim), nn.Dropout(0.05)) for _ in range(2)]
        self.post = nn.Sequential(*itertools.chain.from_iterable(pairs))
        self.order = [self.experts[n] for n in self.names]

    def forward(self, x):
        gate = self.router(x).softmax(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.order):
            out = out + gate[:, i:i + 1] * self.gains[i] * expert(x)
        return self.post(x + out)


class Model(nn.Module):
    def __init__(self, dim=12, vocab=30):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = SoftExperts(dim, ["a", "b", "c"])
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.mix(self.emb(ids)))


def cpu_snapshot(model):
    return copy.deepcopy(model).to("cpu").eval()


def same(a, b):
    return all(torch.equal(p.cpu(), q.cpu()) for p, q in zip(a.parameters(), b.parameters()))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Model()
    model.to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    ce = nn.CrossEntropyLoss()
    snapshots = []
    for step in range(6):
        ids = torch.randint(0, 30, (16,)).to(device)
        loss = ce(model(ids), (ids + 1) % 30)
        model.zero_grad()
        loss.backward()
        opt.step()
        if step % 3 == 2:
            snapshots.append(cpu_snapshot(model))
    probe = torch.arange(5)
    with torch.no_grad():
        for snap in snapshots:
            print(snap(probe).argmax(-1).tolist())
    print("first equals last:", same(snapshots[0], snapshots[-1]), "params", sum(p.numel() for p in model.parameters()))
    model.cpu()
    model.eval()
    with torch.no_grad():
        print("drift", (model(probe) - snapshots[-1](probe)).abs().max().item())


if __name__ == "__main__":
    main()
