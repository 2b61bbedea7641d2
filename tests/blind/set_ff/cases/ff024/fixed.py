"""Prototypical networks on random few-shot episodes."""
import torch
from torch import nn
from torch.nn import functional as F


class Embedder(nn.Module):
    def __init__(self, in_dim=20, dim=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(in_dim, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return self.layers(x)


class EpisodeSampler:
    def __init__(self, classes=10, way=4, shot=3, queries=5, dim=20, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.centres = torch.randn(classes, dim, generator=self.g) * 2
        self.way, self.shot, self.queries = way, shot, queries

    def __iter__(self):
        while True:
            picks = torch.randperm(len(self.centres), generator=self.g)[: self.way]
            yield self._draw(picks, self.shot), self._draw(picks, self.queries)

    def _draw(self, picks, n):
        base = self.centres[picks].repeat_interleave(n, 0)
        labels = torch.arange(self.way).repeat_interleave(n)
        return base + torch.randn(base.shape, generator=self.g), labels


def prototypes(embeddings, labels):
    out = []
    for c in labels.unique():
        members = embeddings[labels == c]
        out.append(members.mean(dim=0))
    return torch.stack(out)


def episode_loss(net, support, query):
    sx, sy = support
    qx, qy = query
    protos = prototypes(net(sx), sy)
    logits = -torch.cdist(net(qx), protos).pow(2)
    loss = F.cross_entropy(logits, qy)
    acc = (logits.argmax(1) == qy).float().mean().item()
    return loss, acc


def train(episodes=5, lr=1e-3):
    torch.manual_seed(0)
    net = Embedder()
    optimizer = torch.optim.Adam(net.parameters(), lr=lr)
    for i, (support, query) in enumerate(EpisodeSampler()):
        if i >= episodes:
            break
        loss, acc = episode_loss(net, support, query)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{i:3d} {loss.item():.3f} {acc:.2f}")
    return net


if __name__ == "__main__":
    train()
