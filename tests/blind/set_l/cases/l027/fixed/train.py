import torch
import torch.nn as nn
import torch.nn.functional as F

from hooks import EmbeddingSnapshot, Log


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 24), nn.PReLU(), nn.Linear(24, 6))

    def forward(self, a, b):
        return self.net(a), self.net(b)


def contrastive(za, zb, same, margin=1.0):
    d = F.pairwise_distance(za, zb)
    return (same * d.pow(2) + (1 - same) * (margin - d).clamp(min=0).pow(2)).mean()


class Trainer:
    def __init__(self, hooks):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Siamese().to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), 1e-3)
        self.hooks, self.state, self.epoch = hooks, {}, 0

    def train_batch(self, a, b, same):
        za, zb = self.model(a.to(self.device), b.to(self.device))
        loss = contrastive(za, zb, same.to(self.device))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.state.update(loss=loss.item(), embedding=za)

    def fit(self, pairs, epochs=2):
        for self.epoch in range(epochs):
            for batch in pairs:
                self.train_batch(*batch)
            for hook in self.hooks:
                hook.after_epoch(self)


if __name__ == "__main__":
    pairs = [(torch.randn(16, 12), torch.randn(16, 12), torch.randint(0, 2, (16,)).float()) for _ in range(3)]
    Trainer([Log(), EmbeddingSnapshot()]).fit(pairs)
