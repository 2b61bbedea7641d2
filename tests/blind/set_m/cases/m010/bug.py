import torch
from torch import nn
import torch.nn.functional as F


class MultiTask(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.heads = nn.ModuleDict({"age": nn.Linear(32, 1), "sex": nn.Linear(32, 2), "race": nn.Linear(32, 5)})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}


def task_losses(out, target):
    return [
        F.mse_loss(out["age"].squeeze(-1), target["age"]),
        F.cross_entropy(out["sex"], target["sex"]),
        F.cross_entropy(out["race"], target["race"]),
    ]


def fake_batch(n, device):
    x = torch.randn(n, 10, device=device)
    t = {"age": torch.rand(n, device=device), "sex": torch.randint(2, (n,), device=device), "race": torch.randint(5, (n,), device=device)}
    return x, t


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MultiTask().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for it in range(4):
    x, target = fake_batch(32, device)
    losses = task_losses(model(x), target)
    loss = torch.tensor(losses, requires_grad=True).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(it, round(loss.item(), 4))
