import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class Interactions:
    def __init__(self, users=30, items=50, n=400, seed=0):
        rng = np.random.default_rng(seed)
        self.users, self.items = users, items
        self.pairs = np.stack([rng.integers(0, users, n), rng.integers(0, items, n)], 1)
        self.popularity = np.bincount(self.pairs[:, 1], minlength=items) ** 0.75
        self.popularity = self.popularity / self.popularity.sum()
        self.rng = rng

    def batches(self, size):
        order = self.rng.permutation(len(self.pairs))
        for start in range(0, len(order), size):
            rows = self.pairs[order[start:start + size]]
            negative = self.rng.choice(self.items, size=len(rows), p=self.popularity)
            yield torch.from_numpy(rows[:, 0]), torch.from_numpy(rows[:, 1]), torch.from_numpy(negative)


class BPR(nn.Module):
    def __init__(self, users, items, dim=12):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.item_bias = nn.Embedding(items, 1)
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.05)
        nn.init.zeros_(self.item_bias.weight)

    def score(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.item_bias(i).squeeze(-1)

    def forward(self, u, pos, neg):
        return -F.logsigmoid(self.score(u, pos) - self.score(u, neg)).mean()

    def all_scores(self, u):
        return self.user(u) @ self.item.weight.t() + self.item_bias.weight.t()


def recall_at(model, data, k, device):
    seen = {}
    for u, i in data.pairs:
        seen.setdefault(int(u), set()).add(int(i))
    ids = sorted(seen)
    with torch.no_grad():
        scores = model.all_scores(torch.tensor(ids, device=device))
        top = scores.topk(k, dim=1).indices.cpu().numpy()
    hits = [len(seen[u] & set(row.tolist())) / min(k, len(seen[u])) for u, row in zip(ids, top)]
    return float(np.mean(hits))


def main(epochs=2):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Interactions()
    model = BPR(data.users, data.items).to(device)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        total = torch.zeros((), device=device)
        for triple in data.batches(64):
            u, pos, neg = (t.to(device) for t in triple)
            loss = model(u, pos, neg)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        print(epoch, total.item(), recall_at(model, data, 10, device))


if __name__ == "__main__":
    main()
