import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, q_dim=12, d_dim=20, out=16):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(q_dim, 32), nn.ReLU(), nn.Linear(32, out))
        self.d = nn.Sequential(nn.Linear(d_dim, 32), nn.ReLU(), nn.Linear(32, out))

    def score(self, query, docs):
        return torch.einsum("bd,bnd->bn", self.q(query), self.d(docs))


def rank_of(scores):
    return scores.argsort(dim=1).argsort(dim=1).float()


def spearman(pred, gold):
    a, b = rank_of(pred), rank_of(gold)
    a = a - a.mean(1, keepdim=True)
    b = b - b.mean(1, keepdim=True)
    return (a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1) + 1e-8)


class RankTrainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.objective = lambda s, g: 1 - spearman(s, g).mean()

    def step(self, query, docs, relevance):
        scores = self.model.score(query, docs)
        loss = self.objective(scores, relevance)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def main():
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = RankTrainer(TwoTower().to(dev))
    for _ in range(3):
        q, d, r = torch.randn(4, 12), torch.randn(4, 10, 20), torch.rand(4, 10)
        print(trainer.step(q.to(dev), d.to(dev), r.to(dev)))


if __name__ == "__main__":
    main()
