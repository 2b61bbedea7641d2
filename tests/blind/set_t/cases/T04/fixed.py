from collections import defaultdict
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset, DataLoader


class Interactions(Dataset):
    def __init__(self, users=40, items=60, n=400):
        g = torch.Generator().manual_seed(1)
        self.user = torch.randint(users, (n,), generator=g)
        self.item = torch.randint(items, (n,), generator=g)
        self.rating = torch.rand(n, generator=g) * 4 + 1

    def __len__(self):
        return len(self.user)

    def __getitem__(self, i):
        return self.user[i], self.item[i], self.rating[i]


class Factorisation(nn.Module):
    def __init__(self, users, items, rank=8):
        super().__init__()
        self.u = nn.Embedding(users, rank)
        self.v = nn.Embedding(items, rank)
        self.bu = nn.Embedding(users, 1)
        self.bv = nn.Embedding(items, 1)
        self.mu = nn.Parameter(torch.tensor(3.0))

    def forward(self, user, item):
        dot = (self.u(user) * self.v(item)).sum(-1)
        return dot + self.bu(user).squeeze(-1) + self.bv(item).squeeze(-1) + self.mu


class Tracker:
    def __init__(self):
        self.total = defaultdict(float)
        self.count = defaultdict(int)

    def update(self, n, **values):
        for name, value in values.items():
            self.total[name] += value * n
            self.count[name] += n

    def report(self):
        return {k: float(self.total[k]) / self.count[k] for k in self.total}


torch.manual_seed(0)
loader = DataLoader(Interactions(), batch_size=50, shuffle=True)
model = Factorisation(40, 60)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
tracker = Tracker()

for epoch in range(3):
    for user, item, rating in loader:
        pred = model(user, item)
        mse = F.mse_loss(pred, rating)
        reg = 1e-4 * (model.u(user).pow(2).sum() + model.v(item).pow(2).sum())
        loss = mse + reg
        opt.zero_grad()
        loss.backward()
        opt.step()
        tracker.update(len(user), mse=mse.item(), reg=reg.item())
print(tracker.report())
