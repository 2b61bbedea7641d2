"""Prototype networks for few-shot episodes."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, 32), nn.ReLU(), nn.Linear(32, n_out))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


def prototypes(support, labels, ways):
    one_hot = F.one_hot(labels, ways).to(support.dtype)
    return one_hot.t() @ support / one_hot.sum(0).clamp_min(1).unsqueeze(1)


def episode_targets(ways, queries, device):
    classes = torch.arange(ways, device=device)
    return classes.repeat(queries)


class ProtoNet(nn.Module):
    def __init__(self, n_in, n_out=16, temperature=0.1):
        super().__init__()
        self.embed = Embedder(n_in, n_out)
        self.log_t = nn.Parameter(torch.tensor(temperature).log())

    def forward(self, support, labels, query, ways):
        protos = prototypes(self.embed(support), labels, ways)
        dist = torch.cdist(self.embed(query), protos).pow(2)
        return -dist / self.log_t.exp()

    def episode_loss(self, support, labels, query, ways):
        scores = self(support, labels, query, ways)
        target = episode_targets(ways, query.size(0) // ways, query.device)
        loss = F.cross_entropy(scores, target)
        return loss, (scores.argmax(1) == target).float().mean().item()
