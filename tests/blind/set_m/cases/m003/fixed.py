import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.randn(200, 8)
Y = X[:, :1] * 2 - X[:, 1:2] + 0.1 * torch.randn(200, 1)
train_dl = DataLoader(TensorDataset(X[:160], Y[:160]), batch_size=32, shuffle=True)
test_dl = DataLoader(TensorDataset(X[160:], Y[160:]), batch_size=20)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def fit(epochs):
    model.train()
    for _ in range(epochs):
        for xb, yb in train_dl:
            xb, yb = xb.to(device), yb.to(device)
            optimizer.zero_grad()
            criterion(model(xb), yb).backward()
            optimizer.step()


def r2_score(y_true, y_pred):
    ss_res = np.sum((y_true - y_pred) ** 2)
    ss_tot = np.sum((y_true - y_true.mean()) ** 2)
    return 1 - ss_res / ss_tot


@torch.no_grad()
def predict(loader):
    model.eval()
    preds, targets = [], []
    for xb, yb in loader:
        out = model(xb.to(device))
        preds.append(out.squeeze(1).cpu())
        targets.append(yb.squeeze(1))
    return torch.cat(targets), torch.cat(preds)


fit(3)
y_true, y_pred = predict(test_dl)
print("R2:", r2_score(y_true.numpy(), y_pred.numpy()))
