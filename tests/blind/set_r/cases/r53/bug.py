import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

TASKS = {"age": 1, "sex": 2, "region": 4}


class Survey(Dataset):
    def __init__(self, n=60):
        self.x = torch.randn(n, 9)
        self.y = {
            "age": self.x[:, :1] * 2,
            "sex": (self.x[:, 1] > 0).long(),
            "region": torch.randint(0, 4, (n,)),
        }

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], {k: v[i] for k, v in self.y.items()}


class MultiTask(nn.Module):
    def __init__(self, n_in, tasks, width=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.LayerNorm(width))
        self.heads = {name: nn.Linear(width, n) for name, n in tasks.items()}

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


def total_loss(out, y):
    loss = F.mse_loss(out["age"], y["age"])
    for name in ("sex", "region"):
        loss = loss + F.cross_entropy(out[name], y[name])
    return loss


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MultiTask(9, TASKS).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in DataLoader(Survey(), batch_size=20, shuffle=True):
        x, y = x.to(device), {k: v.to(device) for k, v in y.items()}
        loss = total_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
