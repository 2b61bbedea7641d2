import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
torch.manual_seed(0)


def load_table(n_rows=256):
    rng = np.random.default_rng(12)
    table = rng.standard_normal((n_rows, 6)).astype(np.float32)
    table[:, 5] = table[:, 0] * table[:, 1] - 0.5 * table[:, 2]
    return table


def standardize(features):
    mean = features.mean(axis=0, keepdims=True)
    std = features.std(axis=0, keepdims=True) + 1e-6
    return (features - mean) / std


class Mlp(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.l1 = nn.Linear(n_in, n_hidden)
        self.l2 = nn.Linear(n_hidden, 1)
        self.gate = nn.Parameter(torch.ones(n_hidden))

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)) * self.gate).squeeze(-1)


def fit(model, x, y, steps, batch):
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for step in range(steps):
        offset = (step * batch) % (len(x) - batch)
        xb, yb = x[offset:offset + batch], y[offset:offset + batch]
        loss = F.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


table = load_table()
inputs = torch.from_numpy(standardize(table[:, :5])).to(device)
targets = torch.from_numpy(table[:, 5]).to(device)

net = Mlp(5, 20)
final = fit(net, inputs, targets, steps=30, batch=32)
print(f"final batch loss {final:.4f}")
