import argparse
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Triplets:
    """Positive and corrupted (head, relation, tail) facts."""
    positive: torch.Tensor
    entities: int

    def corrupt(self, batch):
        noise = torch.randint(self.entities, (len(batch),), device=batch.device)
        side = torch.rand(len(batch), device=batch.device) < 0.5
        bad = batch.clone()
        bad[:, 0] = torch.where(side, noise, bad[:, 0])
        bad[:, 2] = torch.where(side, bad[:, 2], noise)
        return bad


class RotatE(nn.Module):
    def __init__(self, entities, relations, dim=16, gamma=6.0):
        super().__init__()
        self.entity = nn.Embedding(entities, 2 * dim)
        self.phase = nn.Embedding(relations, dim)
        self.gamma = gamma

    def score(self, facts):
        h_re, h_im = self.entity(facts[:, 0]).chunk(2, -1)
        t_re, t_im = self.entity(facts[:, 2]).chunk(2, -1)
        phase = self.phase(facts[:, 1])
        c, s = phase.cos(), phase.sin()
        re, im = h_re * c - h_im * s - t_re, h_re * s + h_im * c - t_im
        return self.gamma - (re.square() + im.square() + 1e-9).sqrt().sum(-1)


@torch.no_grad()
def hits_at(model, facts, entities, k=10):
    model.eval()
    hits = 0
    for fact in facts:
        candidates = fact.repeat(entities, 1)
        candidates[:, 2] = torch.arange(entities, device=fact.device)
        best = model.score(candidates).topk(k).indices
        hits += (best == fact[2]).any().item()
    model.train()
    return hits / len(facts)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--device", default="cuda", help="cuda, cuda:1 or cpu")
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--dim", type=int, default=16)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device(args.device)
    entities, relations = 40, 4
    facts = torch.stack([torch.randint(entities, (200,)), torch.randint(relations, (200,)), torch.randint(entities, (200,))], 1).to(device)
    train, test = facts[:180], facts[180:]
    data = Triplets(train, entities)
    model = RotatE(entities, relations, args.dim).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        for batch in train[torch.randperm(len(train))].split(60):
            loss = -F.logsigmoid(model.score(batch)).mean() - F.logsigmoid(-model.score(data.corrupt(batch))).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item(), hits_at(model, test, entities))


if __name__ == "__main__":
    main()
