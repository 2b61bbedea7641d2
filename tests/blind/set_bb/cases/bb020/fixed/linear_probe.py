import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
import extract


class Rings(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 3, (n,), generator=g)
        self.x = F.normalize(torch.randn(n, 6, generator=g), dim=1) * (1 + self.y[:, None])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


class Probe:
    def __init__(self, dim, classes, device):
        self.clf = nn.Linear(dim, classes).to(device)
        self.opt = torch.optim.SGD(self.clf.parameters(), lr=0.5, momentum=0.9)

    def fit(self, bank, epochs=3, bs=32):
        z, y = bank["z"], bank["y"]
        for _ in range(epochs):
            perm = torch.randperm(len(y), device=y.device)
            for i in range(0, len(perm), bs):
                sel = slice(i, i + bs)
                logits = self.clf(z[sel])
                loss = F.cross_entropy(logits, y[sel])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
        return self

    @torch.no_grad()
    def score(self, bank):
        return (self.clf(bank["z"]).argmax(1) == bank["y"]).float().mean().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 16)).to(device)
train = extract.bank(encoder, DataLoader(Rings(160, 0), 32), device)
test = extract.bank(encoder, DataLoader(Rings(40, 1), 32), device)
print("knn", extract.knn(train, test))
probe = Probe(16, 3, device).fit(train)
print("linear", probe.score(test))
