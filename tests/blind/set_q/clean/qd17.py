import numpy as np
import torch
import torch.nn as nn


class Factorization(nn.Module):
    def __init__(self, users, items, dim, mean):
        super().__init__()
        self.u, self.i = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.bu, self.bi = nn.Embedding(users, 1), nn.Embedding(items, 1)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)
        self.register_buffer("mean", torch.as_tensor(mean, dtype=torch.float32))

    def forward(self, u, i):
        return self.mean + (self.u(u) * self.i(i)).sum(-1) + (self.bu(u) + self.bi(i)).squeeze(-1)

    def bpr(self, u, pos, neg):
        return -nn.functional.logsigmoid(self(u, pos) - self(u, neg)).mean()


def ndcg(ranked, relevant, k=5):
    gains = np.isin(ranked[:, :k], relevant).astype(float)
    disc = 1 / np.log2(np.arange(2, k + 2))
    return float((gains * disc).sum(1).mean() / disc.sum())


@torch.no_grad()
def rank_all(model, users, n_items, seen):
    dev = model.mean.device
    items = torch.arange(n_items, device=dev)
    out = []
    for u in users.split(8):
        u = u.to(dev)
        scores = model(u.repeat_interleave(n_items), items.repeat(len(u))).view(len(u), -1)
        scores[seen[u.cpu()].to(dev)] = -torch.inf
        out.append(scores.argsort(1, descending=True).cpu())
    return torch.cat(out).numpy()


def main():
    rng = np.random.default_rng(1)
    U, I = 30, 20
    truth = rng.normal(size=(U, 3)) @ rng.normal(size=(3, I))
    rows, cols = np.nonzero(rng.random((U, I)) < 0.4)
    ratings = torch.from_numpy(truth[rows, cols].astype(np.float32))
    rows, cols = torch.from_numpy(rows), torch.from_numpy(cols)
    seen = torch.zeros(U, I, dtype=torch.bool)
    seen[rows, cols] = True

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Factorization(U, I, 4, ratings.mean()).to(device)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(4):
        for b in torch.randperm(len(rows)).split(64):
            u, i, r = (t[b].to(device) for t in (rows, cols, ratings))
            neg = torch.randint(I, i.shape, device=device)
            loss = (model(u, i) - r).square().mean() + 0.1 * model.bpr(u, i, neg)
            opt.zero_grad()
            loss.backward()
            opt.step()
    ranked = rank_all(model, torch.arange(U), I, seen)
    print(loss.item(), ndcg(ranked, truth.mean(0).argsort()[-5:]))


if __name__ == "__main__":
    main()
