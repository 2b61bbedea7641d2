import itertools
import statistics

import torch
import torch.nn as nn
import torch.nn.functional as F

SPACE = {"lr": [1e-2, 1e-3], "width": [8, 16], "dropout": [0.0, 0.2]}


def make_model(width, dropout, d=6):
    return nn.Sequential(nn.Linear(d, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 1))


def kfold(n, k, seed=0):
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    folds = order.chunk(k)
    for i in range(k):
        yield torch.cat([f for j, f in enumerate(folds) if j != i]), folds[i]


def train_one(x, y, lr, epochs=4, **kw):
    model = make_model(**kw).to(x.device)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    for _ in range(epochs):
        for idx in torch.randperm(len(x)).split(16):
            loss = F.mse_loss(model(x[idx]).squeeze(1), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


@torch.no_grad()
def score(model, x, y):
    model.eval()
    return F.mse_loss(model(x).squeeze(1), y).item()


def search(x, y, k=3):
    table = []
    for values in itertools.product(*SPACE.values()):
        params = dict(zip(SPACE, values))
        scores = []
        for tr, va in kfold(len(x), k):
            model = train_one(x[tr], y[tr], **params)
            scores.append(score(model, x[va], y[va]))
        table.append((statistics.mean(scores), params))
    return min(table, key=lambda row: row[0])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.randn(60, 6)
Y = X[:, 0] * 2 - X[:, 1].abs()
best, params = search(X.to(device), Y.to(device))
print(best, params)
final = train_one(X.to(device), Y.to(device), **params)
print(score(final, X.to(device), Y.to(device)))
