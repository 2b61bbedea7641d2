import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, dim))

    def forward(self, a, b):
        return torch.pairwise_distance(self.enc(a), self.enc(b))


class Trainer:
    def __init__(self, model, lr=1e-3, margin=1.0):
        self.model = model
        self.margin = margin
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.log = {"loss": [], "dist": []}

    def contrastive(self, d, same):
        return (same * d**2 + (1 - same) * (self.margin - d).clamp(min=0) ** 2).mean()

    def step(self, a, b, same):
        d = self.model(a, b)
        loss = self.contrastive(d, same)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return {"loss": loss.item, "dist": d.mean().item()}

    def epoch(self, batches):
        n = 0
        for batch in batches:
            for key, value in self.step(*batch).items():
                self.log[key].append(value)
            n += 1
        return {k: sum(v[-n:]) / n for k, v in self.log.items()}


def pairs(n):
    for _ in range(n):
        yield torch.randn(8, 10), torch.randn(8, 10), torch.randint(0, 2, (8,)).float()


if __name__ == "__main__":
    trainer = Trainer(Siamese())
    for e in range(2):
        print(e, trainer.epoch(pairs(3)))
