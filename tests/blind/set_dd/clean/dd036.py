"""Lung nodule classifier: evaluation with bootstrap confidence intervals in numpy."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Nodules(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 2, n)
        self.x = (rng.normal(size=(n, 1, 8, 8, 8)) + self.y[:, None, None, None, None] * 0.3).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), int(self.y[i])


class Net3D(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv3d(1, 8, 3), nn.ReLU(), nn.Conv3d(8, 16, 3, stride=2), nn.ReLU())
        self.c = nn.Linear(16, 1)

    def forward(self, x):
        return self.c(self.f(x).mean(dim=(2, 3, 4))).squeeze(1)


class Collector:
    """Gathers per-batch outputs; whatever comes in ends up as numpy on the host."""

    def __init__(self):
        self._store = {}

    def add(self, **tensors):
        for name, value in tensors.items():
            if torch.is_tensor(value):
                value = value.detach().to("cpu", torch.float32).numpy()
            self._store.setdefault(name, []).append(np.asarray(value))

    def __getitem__(self, name):
        return np.concatenate(self._store[name])


def auc(scores, y):
    order = np.argsort(scores)
    rank = np.empty(len(scores))
    rank[order] = np.arange(1, len(scores) + 1)
    pos = y.sum()
    return (rank[y == 1].sum() - pos * (pos + 1) / 2) / max(1, pos * (len(y) - pos))


def bootstrap(scores, y, n=50, seed=0):
    rng = np.random.default_rng(seed)
    draws = [rng.integers(0, len(y), len(y)) for _ in range(n)]
    return np.percentile([auc(scores[i], y[i]) for i in draws], [2.5, 97.5])


class Study:
    def __init__(self, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = Net3D().to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)

    def epoch(self, loader, log):
        self.net.train()
        for x, y in loader:
            out = self.net(x.to(self.device))
            loss = nn.functional.binary_cross_entropy_with_logits(out, y.to(self.device).float())
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            log.add(score=out, label=y)

    @torch.no_grad()
    def test(self, loader):
        self.net.eval()
        log = Collector()
        for x, y in loader:
            log.add(score=self.net(x.to(self.device)).sigmoid(), label=y.numpy())
        return auc(log["score"], log["label"]), bootstrap(log["score"], log["label"])


if __name__ == "__main__":
    study, train_log = Study(), Collector()
    study.epoch(DataLoader(Nodules(32, 1), batch_size=8, shuffle=True), train_log)
    print("train auc", auc(train_log["score"], train_log["label"]))
    print("test", *study.test(DataLoader(Nodules(24, 2), batch_size=8)))
