import torch
from torch import nn
import torch.nn.functional as F
from features import Encoder, FeatureStore


class Probe(nn.Module):
    def __init__(self, dim=24, classes=3, rank=4):
        super().__init__()
        self.project = nn.Linear(dim, rank, bias=False)
        self.out = nn.Linear(rank, classes)

    def forward(self, f):
        return self.out(self.project(f))


class ProbeExperiment:
    def __init__(self, store, data):
        self.store = store
        self.data = data
        self.probe = Probe()
        self.optimizer = torch.optim.LBFGS(self.probe.parameters(), lr=0.5, max_iter=5)

    def xy(self, split):
        ids, y = self.data[split]
        return self.store.get(split, ids), y

    def fit(self, epochs=3):
        x, y = self.xy("train")

        def closure():
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.probe(x), y)
            loss.backward()
            return loss

        for epoch in range(epochs):
            loss = self.optimizer.step(closure)
            print(epoch, loss.item(), self.accuracy("dev"))

    @torch.no_grad()
    def accuracy(self, split):
        x, y = self.xy(split)
        return (self.probe(x).argmax(1) == y).float().mean().item()


def sentences(n):
    ids = torch.randint(0, 80, (n, 9))
    return ids, ids[:, 0] % 3


if __name__ == "__main__":
    torch.manual_seed(0)
    data = {"train": sentences(100), "dev": sentences(40)}
    ProbeExperiment(FeatureStore(Encoder()), data).fit()
