"""Factorisation machine on sparse click logs."""
import torch
from torch import nn


def interactions(n, fields, rng):
    idx = torch.stack([torch.randint(0, f, (n,), generator=rng) for f in fields], dim=1)
    offset = torch.tensor([0] + list(fields[:-1])).cumsum(0)
    clicks = (torch.rand(n, generator=rng) < 0.3).float()
    return idx + offset, clicks


class FM(nn.Module):
    def __init__(self, num_features, k=8):
        super().__init__()
        self.w = nn.Embedding(num_features, 1)
        self.v = nn.Embedding(num_features, k)
        self.b = nn.Parameter(torch.zeros(1))
        nn.init.normal_(self.v.weight, std=0.01)

    def forward(self, idx):
        linear = self.w(idx).sum(dim=(1, 2))
        e = self.v(idx)
        pair = 0.5 * (e.sum(1).pow(2) - e.pow(2).sum(1)).sum(1)
        return linear + pair + self.b


def auc(scores, labels):
    order = scores.argsort()
    ranks = torch.empty_like(scores)
    ranks[order] = torch.arange(1, len(scores) + 1, dtype=scores.dtype, device=scores.device)
    pos = labels.sum()
    return ((ranks[labels == 1].sum() - pos * (pos + 1) / 2) / (pos * (len(labels) - pos))).item()


rng = torch.Generator().manual_seed(42)
FIELDS = (20, 15, 7)
train_x, train_y = interactions(512, FIELDS, rng)
test_x, test_y = interactions(128, FIELDS, rng)

model = FM(sum(FIELDS))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
criterion = nn.BCEWithLogitsLoss()

use_gpu = torch.cuda.is_available()
device = torch.device("cuda:0" if use_gpu else "cpu")
model.to(device)
train_x, train_y = train_x.to(device), train_y.to(device)
test_x, test_y = test_x.to(device), test_y.to(device)

for epoch in range(2):
    model.train()
    perm = torch.randperm(len(train_x), device=device)
    running = 0.0
    for rows in perm.split(128):
        optimizer.zero_grad()
        loss = criterion(model(train_x[rows]), train_y[rows])
        loss.backward()
        optimizer.step()
        running += loss.item() * len(rows)
    model.eval()
    with torch.no_grad():
        print(epoch, running / len(train_x), auc(model(test_x), test_y))
