import argparse

import torch
from torch import nn
import torch.nn.functional as F

from balancing import GradNormProbe, assign, project_conflicts


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh())
        self.depth = nn.Linear(12, 1)
        self.kind = nn.Linear(12, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.depth(h).squeeze(1), self.kind(h)


def flatten(grads):
    return torch.cat([g.reshape(-1) for g in grads])


def step(model, optimizer, probe, batch):
    x, depth, kind = batch
    d, k = model(x)
    losses = [F.mse_loss(d, depth), F.cross_entropy(k, kind)]
    norms = probe(losses)
    shared = list(model.trunk.parameters())
    heads = [list(model.depth.parameters()), list(model.kind.parameters())]
    optimizer.zero_grad()
    task_grads = []
    for i, loss in enumerate(losses):
        more = i + 1 < len(losses)
        grads = torch.autograd.grad(loss, shared + heads[i], retain_graph=more)
        task_grads.append(flatten(grads[:len(shared)]))
        for p, g in zip(heads[i], grads[len(shared):]):
            p.grad = g
    assign(shared, project_conflicts(task_grads))
    optimizer.step()
    return [v.item() for v in losses], norms.tolist()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=3)
    ap.add_argument("--lr", type=float, default=0.05)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TwoHeads().to(device)
    probe = GradNormProbe(model.trunk.parameters())
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for _ in range(args.steps):
        batch = torch.randn(8, 6), torch.randn(8), torch.randint(0, 3, (8,))
        print(step(model, optimizer, probe, [b.to(device) for b in batch]))


if __name__ == "__main__":
    main()
