import argparse

import torch
from torch import nn
import torch.nn.functional as F

from inspect_hooks import GradientTap, InputGradient


class Classifier(nn.Module):
    def __init__(self, vocab=20, dim=8, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.enc = nn.Sequential(nn.Linear(dim, 16), nn.Tanh(), nn.Linear(16, 16))
        self.out = nn.Linear(16, classes)

    def from_embedding(self, emb):
        return self.out(self.enc(emb).mean(1))

    def forward(self, ids):
        return self.from_embedding(self.embed(ids))


class FreeLB:
    """Adversarial step along the gradient of the embeddings."""

    def __init__(self, model, eps=0.1):
        self.model, self.probe, self.eps = model, InputGradient(model), eps

    def loss(self, ids, y):
        grad, _ = self.probe(ids, y, F.cross_entropy)
        delta = self.eps * grad / grad.norm(dim=-1, keepdim=True).clamp(min=1e-8)
        return F.cross_entropy(self.model.from_embedding(self.model.embed(ids) + delta), y)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--eps", type=float, default=0.1)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier().to(device)
    adv = FreeLB(model, args.eps)
    tap = GradientTap(model, ["enc.0", "enc.2"])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(args.steps):
        ids = torch.randint(0, 20, (6, 5), device=device)
        y = ids[:, 0] % 3
        loss = F.cross_entropy(model(ids), y) + adv.loss(ids, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    print(tap.summary())
    tap.remove()


if __name__ == "__main__":
    main()
