import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
rng = np.random.default_rng(0)
table = rng.normal(size=(96, 7)).astype(np.float32)
target = (table[:, 0] > 0).astype(np.int64)


class Tabular(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.as_tensor(mean))
        self.register_buffer("std", torch.from_numpy(std).to(device))
        self.net = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 2))

    def forward(self, x):
        return self.net((x - self.mean) / self.std)


def minibatches(x, y, size):
    x, y = torch.tensor(x), torch.tensor(y)
    for idx in torch.randperm(len(x)).split(size):
        yield x[idx], y[idx]


model = Tabular(table.mean(0), table.std(0))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
for epoch in range(3):
    for x, y in minibatches(table, target, 24):
        noise = torch.randn(x.shape) * 0.05
        loss = F.cross_entropy(model(x + noise), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())

held_out = torch.from_numpy(rng.normal(size=(5, 7)).astype(np.float32))
model.eval()
with torch.no_grad():
    print(model(held_out.to(device)).argmax(1).tolist())
