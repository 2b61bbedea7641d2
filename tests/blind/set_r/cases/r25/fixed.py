import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class Regressor(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1)
        )

    def forward(self, x):
        return self.body(x).squeeze(-1)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    error, n = 0.0, 0
    for x, y in loader:
        error += F.l1_loss(model(x), y, reduction="sum").item()
        n += len(y)
    return error / n


x = torch.randn(80, 6)
y = x[:, 0] - 2 * x[:, 3] + 0.1 * torch.randn(80)
train_set, val_set = random_split(TensorDataset(x, y), [64, 16])
train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
val_loader = DataLoader(val_set, batch_size=16)

model = Regressor(6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
best = float("inf")

for epoch in range(3):
    model.train()
    running = 0.0
    for xb, yb in train_loader:
        loss = F.mse_loss(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
    mae = validate(model, val_loader)
    scheduler.step(mae)
    best = min(best, mae)
    print(f"{epoch} train {running / len(train_loader):.3f} val {mae:.3f} best {best:.3f}")
