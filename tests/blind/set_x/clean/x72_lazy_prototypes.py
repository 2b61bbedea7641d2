"""Prototypical network: per-episode classifiers are built from the support set."""
import torch
from torch import nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, inputs=6, dim=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, x):
        return self.net(x)


class EpisodeClassifier:
    """A linear layer in closed form; nothing in it is learnt by itself."""

    def __init__(self, prototypes: torch.Tensor):
        self.weight = 2 * prototypes
        self.bias = -prototypes.pow(2).sum(dim=1)

    def __call__(self, h):
        return F.linear(h, self.weight, self.bias)


class ProtoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()

    def adapt(self, support, ways):
        h = self.backbone(support)
        return EpisodeClassifier(h.view(ways, -1, h.size(-1)).mean(dim=1))

    def forward(self, support, query, ways):
        return self.adapt(support, ways)(self.backbone(query))


class Episodes:
    def __init__(self, ways, shots, queries, device):
        self.ways, self.shots, self.queries, self.device = ways, shots, queries, device

    def __iter__(self):
        for _ in range(4):
            centers = torch.randn(self.ways, 1, 6, device=self.device) * 2
            n = self.shots + self.queries
            x = centers + torch.randn(self.ways, n, 6, device=self.device)
            support = x[:, : self.shots].reshape(-1, 6)
            query = x[:, self.shots :].reshape(-1, 6)
            yield support, query, torch.arange(self.ways, device=self.device).repeat_interleave(self.queries)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ProtoNet().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    hits = []
    for support, query, labels in Episodes(3, 2, 4, device):
        logits = model(support, query, 3)
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits.append(logits.detach().argmax(1).eq(labels).float().mean())
    print(torch.stack(hits).mean().item())


if __name__ == "__main__":
    main()
