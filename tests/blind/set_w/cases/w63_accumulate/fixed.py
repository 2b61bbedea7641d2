from dataclasses import dataclass
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class TrainArgs:
    lr: float = 0.1
    accum: int = 2
    epochs: int = 2
    clip: float = 1.0


class Molecule(nn.Module):
    def __init__(self, atoms=8, d=12):
        super().__init__()
        self.emb = nn.Embedding(atoms, d)
        self.msg = nn.Linear(d, d)
        self.out = nn.Linear(d, 1)

    def forward(self, z, bonds):
        h = self.emb(z)
        for _ in range(2):
            h = h + torch.tanh(bonds @ self.msg(h))
        return self.out(h.sum(1)).squeeze(-1)


class Loop:
    def __init__(self, model, args):
        self.model, self.args = model, args
        self.opt = torch.optim.SGD(model.parameters(), lr=args.lr)
        self.device = next(model.parameters()).device

    def apply(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.opt.step()

    def clear(self):
        self.opt.zero_grad(set_to_none=True)

    def epoch(self, batches):
        running = 0.0
        for i, (z, b, y) in enumerate(batches, 1):
            pred = self.model(z.to(self.device), b.to(self.device))
            loss = F.l1_loss(pred, y.to(self.device)) / self.args.accum
            loss.backward()
            running += loss.item()
            if i % self.args.accum == 0:
                self.apply()
                self.clear()
        return running / len(batches)


device = "cuda" if torch.cuda.is_available() else "cpu"
net = Molecule().to(device)
start = net.out.weight.detach().clone()
batches = [(torch.randint(8, (4, 6)), torch.rand(4, 6, 6).round(), torch.randn(4)) for _ in range(4)]
loop = Loop(net, TrainArgs())
for e in range(loop.args.epochs):
    print(e, loop.epoch(batches))
change = (net.out.weight.detach() - start).abs().sum().item()
