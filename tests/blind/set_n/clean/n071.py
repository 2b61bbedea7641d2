import numpy as np
import torch
from torch import nn


def kmeans(x, k, rounds=5, seed=0):
    rng = np.random.default_rng(seed)
    c = x[rng.choice(len(x), k, replace=False)]
    for _ in range(rounds):
        label = ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)
        c = np.stack([x[label == j].mean(0) if (label == j).any() else c[j] for j in range(k)])
    return label, c


class DeepCluster:
    def __init__(self, k, device):
        self.encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
        self.head = nn.Linear(4, k).to(device)
        self.k, self.device = k, device
        params = [*self.encoder.parameters(), *self.head.parameters()]
        self.opt = torch.optim.SGD(params, lr=0.05, momentum=0.9)

    def pseudo_labels(self, data):
        self.encoder.eval()
        with torch.no_grad():
            feats = self.encoder(data).cpu().numpy()
        label, _ = kmeans(feats, self.k)
        self.encoder.train()
        return torch.from_numpy(label).to(self.device)

    def fit(self, data, epochs):
        for _ in range(epochs):
            y = self.pseudo_labels(data)
            for idx in torch.randperm(len(data), device=self.device).split(16):
                loss = nn.functional.cross_entropy(self.head(self.encoder(data[idx])), y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DeepCluster(3, device).fit(torch.randn(48, 10, device=device), 2)
