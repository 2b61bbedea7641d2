import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import IterableDataset, DataLoader


class PopularitySampler(IterableDataset):
    """(user, positive, negatives): negatives follow item popularity ** 0.75"""

    def __init__(self, pairs, n_items, k=4, seed=0):
        self.pairs, self.k = pairs, k
        counts = np.bincount(pairs[:, 1], minlength=n_items).astype(float) ** 0.75
        self.p = counts / counts.sum()
        self.seed = seed

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        for i in rng.permutation(len(self.pairs)):
            user, item = self.pairs[i]
            neg = rng.choice(len(self.p), size=self.k, p=self.p)
            yield int(user), int(item), torch.from_numpy(neg)


class MetricModel(nn.Module):
    """Collaborative metric learning: embeddings live in the unit ball."""

    def __init__(self, users, items, dim=12):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)

    @torch.no_grad()
    def project(self):
        for table in (self.user.weight, self.item.weight):
            norm = table.norm(dim=1, keepdim=True)
            table.div_(norm.clamp(min=1))

    def distance(self, u, i):
        return (u - i).square().sum(-1)

    def forward(self, user, pos, neg):
        u = self.user(user)
        d_pos = self.distance(u, self.item(pos))
        d_neg = self.distance(u[:, None], self.item(neg)).min(dim=1).values
        return F.relu(0.5 + d_pos - d_neg)


def recommend(model, user_id, k=5):
    device = model.user.weight.device
    with torch.inference_mode():
        u = model.user(torch.tensor(user_id, device=device))
        d = model.distance(u, model.item.weight)
        return d.topk(k, largest=False).indices.cpu().numpy()


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    users, items = 20, 30
    pairs = np.stack([rng.integers(users, size=200), rng.integers(items, size=200)], axis=1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MetricModel(users, items).to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(2):
        for batch in DataLoader(PopularitySampler(pairs, items, seed=epoch), batch_size=40):
            user, pos, neg = (t.to(device) for t in batch)
            loss = model(user, pos, neg).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.project()
        print(epoch, loss.item())
    print(recommend(model, 3))


if __name__ == "__main__":
    main()
