"""Translational embeddings of a knowledge graph."""
import torch
from torch import nn
from torch.nn import functional as F


class TransE(nn.Module):
    def __init__(self, entities, relations, dim=16, margin=1.0):
        super().__init__()
        bound = 6 / dim ** 0.5
        self.ent = nn.Parameter(torch.empty(entities, dim).uniform_(-bound, bound))
        self.rel = nn.Parameter(F.normalize(torch.empty(relations, dim).uniform_(-bound, bound), dim=-1))
        self.margin = margin

    def distance(self, triples):
        h, r, t = triples.unbind(-1)
        return (self.ent[h] + self.rel[r] - self.ent[t]).norm(p=2, dim=-1)

    def forward(self, pos, neg):
        return F.relu(self.margin + self.distance(pos) - self.distance(neg)).mean()

    def renormalize(self, ids=None):
        """Puts the entities back on the unit ball."""
        rows = slice(None) if ids is None else ids.unique()
        norms = self.ent[rows].norm(dim=-1, keepdim=True).clamp(min=1.0)
        self.ent[rows] = self.ent[rows] / norms


def corrupt(triples, n_entities):
    out = triples.clone()
    side = torch.randint(0, 2, (len(out),), device=out.device) * 2
    out[torch.arange(len(out), device=out.device), side] = torch.randint(0, n_entities, (len(out),), device=out.device)
    return out


def train(model, triples, epochs=1, batch=8, lr=0.01):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(epochs):
        for chunk in triples[torch.randperm(len(triples))].split(batch):
            model.renormalize(chunk[:, [0, 2]])
            optimizer.zero_grad()
            loss = model(chunk, corrupt(chunk, model.ent.size(0)))
            loss.backward()
            optimizer.step()
    return model
