import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim=16):
        super().__init__()
        self.users = nn.Embedding(n_users, dim)
        self.items = nn.Embedding(n_items, dim)

    def score_all(self, user):
        return self.users(user) @ self.items.weight.t()

    def forward(self, user, pos, neg):
        u = self.users(user)
        return (u * self.items(pos)).sum(-1), (u * self.items(neg)).sum(-1)


class RankingMetrics:
    def __init__(self, k=10):
        self.k = k
        self.hits, self.gains = [], []

    def add(self, scores, relevant):
        scores = np.asarray(scores)
        order = np.argsort(-scores, axis=1)[:, : self.k]
        for row, rel in zip(order, relevant):
            pos = np.where(row == rel)[0]
            self.hits.append(float(len(pos) > 0))
            self.gains.append(1 / np.log2(pos[0] + 2) if len(pos) else 0.0)

    def summary(self):
        return {f"HR@{self.k}": np.mean(self.hits), f"NDCG@{self.k}": np.mean(self.gains)}


def train_epoch(model, optimizer, pairs, n_items):
    device = next(model.parameters()).device
    model.train()
    for chunk in pairs.split(64):
        user, pos = chunk.to(device).unbind(1)
        neg = torch.randint(n_items, pos.shape, device=device)
        p, n = model(user, pos, neg)
        loss = -F.logsigmoid(p - n).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, held_out):
    model.eval()
    device = next(model.parameters()).device
    metrics = RankingMetrics()
    for chunk in held_out.split(32):
        user, item = chunk.unbind(1)
        scores = model.score_all(user.to(device))
        metrics.add(scores, item.tolist())
    return metrics.summary()


def main():
    torch.manual_seed(0)
    n_users, n_items = 30, 50
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    pairs = torch.stack([torch.randint(n_users, (300,)), torch.randint(n_items, (300,))], 1)
    held_out = torch.stack([torch.arange(n_users), torch.randint(n_items, (n_users,))], 1)
    model = TwoTower(n_users, n_items).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        train_epoch(model, optimizer, pairs, n_items)
        print(epoch, evaluate(model, held_out))


if __name__ == "__main__":
    main()
