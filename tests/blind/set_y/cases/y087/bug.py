import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    def __init__(self, users=30, items=25, n=200):
        g = torch.Generator().manual_seed(11)
        self.u = torch.randint(0, users, (n,), generator=g)
        self.i = torch.randint(0, items, (n,), generator=g)
        self.r = ((self.u + self.i) % 5 + 1).float()

    def __len__(self):
        return len(self.r)

    def __getitem__(self, k):
        return self.u[k], self.i[k], self.r[k]


class NeuMF(nn.Module):
    def __init__(self, users=30, items=25, dim=8):
        super().__init__()
        self.u, self.i = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.predict = nn.Linear(dim + 8, 1)

    def forward(self, u, i):
        pu, qi = self.u(u), self.i(i)
        return self.predict(torch.cat([pu * qi, self.mlp(torch.cat([pu, qi], -1))], -1)).squeeze(-1)


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, None, 0

    def __call__(self, value):
        if self.best is None or value < self.best - 1e-4:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = NeuMF().to(device)
first = model.predict.weight.detach().clone()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
loader = DataLoader(Ratings(), batch_size=50, shuffle=True)
stop = EarlyStopping(patience=2)
for epoch in range(3):
    model.train()
    total = 0.0
    for u, i, r in loader:
        u, i, r = u.to(device), i.to(device), r.to(device)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(u, i), r)
        loss.backward()
        optimizer.step
        total += loss.item() * len(r)
    rmse = (total / len(loader.dataset)) ** 0.5
    print(f"epoch {epoch} rmse {rmse:.3f}")
    if stop(rmse):
        break
