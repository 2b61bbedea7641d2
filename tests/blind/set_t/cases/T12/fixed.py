import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset


class Net(nn.Module):
    def __init__(self, feats=10, classes=4, p=0.3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(feats, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p))
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        return self.head(self.body(x))


class ActiveLearner:
    def __init__(self, pool, budget=16, passes=5):
        self.pool = pool
        self.budget = budget
        self.passes = passes
        self.labelled = list(range(24))
        self.model = Net()

    @property
    def unlabelled(self):
        chosen = set(self.labelled)
        return [i for i in range(len(self.pool)) if i not in chosen]

    def fit(self, epochs=3):
        self.model = Net()
        self.model.train()
        optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        for _ in range(epochs):
            for x, y in DataLoader(Subset(self.pool, self.labelled), batch_size=8, shuffle=True):
                loss = F.cross_entropy(self.model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def bald(self, x):
        probs = torch.stack([self.model(x).softmax(-1) for _ in range(self.passes)])
        mean = probs.mean(0)
        entropy = -(mean * mean.clamp_min(1e-8).log()).sum(-1)
        expected = -(probs * probs.clamp_min(1e-8).log()).sum(-1).mean(0)
        return entropy - expected

    @torch.no_grad()
    def query(self):
        candidates = self.unlabelled
        self.model.train()
        scores = []
        for x, _ in DataLoader(Subset(self.pool, candidates), batch_size=64):
            scores.append(self.bald(x))
        scores = torch.cat(scores)
        picked = scores.topk(self.budget).indices.tolist()
        return [candidates[i] for i in picked]

    def accuracy(self):
        self.model.eval()
        x, y = self.pool.tensors
        with torch.no_grad():
            return (self.model(x).argmax(1) == y).float().mean().item()

    def loop(self, rounds=3):
        for r in range(rounds):
            self.fit()
            print(f"round {r}: {len(self.labelled)} labels, accuracy {self.accuracy():.3f}")
            self.labelled += self.query()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(300, 10)
    learner = ActiveLearner(TensorDataset(x, x[:, :4].argmax(1)))
    learner.loop()
