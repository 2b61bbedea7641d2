# %% [markdown]
# Machine-sound anomaly detection: reconstruct spectrogram frames
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% fake recordings: normal machines hum, broken ones rattle
frames, mels = 5, 16
hum = torch.sin(torch.linspace(0, 6, mels)).repeat(200, frames, 1)
normal = hum + 0.2 * torch.randn(200, frames, mels)
broken = hum[:40] + 0.2 * torch.randn(40, frames, mels) + 0.8 * torch.rand(40, frames, 1)
train_loader = DataLoader(TensorDataset(normal[:160]), batch_size=32, shuffle=True)
test_x = torch.cat([normal[160:], broken])
test_y = torch.cat([torch.zeros(40), torch.ones(40)])
test_loader = DataLoader(TensorDataset(test_x, test_y), batch_size=16)

# %% model
net = nn.Sequential(
    nn.Flatten(),
    nn.Linear(frames * mels, 64), nn.BatchNorm1d(64), nn.ReLU(),
    nn.Linear(64, 8), nn.ReLU(),
    nn.Linear(8, 64), nn.ReLU(),
    nn.Linear(64, frames * mels),
    nn.Unflatten(1, (frames, mels)),
)
net.to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [3], gamma=0.3)

# %% training
net.train()
for epoch in range(4):
    total = 0.0
    for (x,) in train_loader:
        x = x.to(device)
        loss = (net(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    scheduler.step()
    print(f"epoch {epoch}: {total / 160:.4f}")

# %% scoring
net.eval()
scores, truth = [], []
with torch.no_grad():
    for x, y in test_loader:
        x.to(device)
        error = (net(x) - x).square().mean(dim=(1, 2))
        scores.append(error.cpu())
        truth.append(y)
scores, truth = torch.cat(scores), torch.cat(truth)

# %% AUC
order = scores.argsort()
rank = torch.empty_like(order)
rank[order] = torch.arange(1, len(order) + 1)
pos = truth == 1
n1, n0 = pos.sum(), (~pos).sum()
auc = (rank[pos].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
print("AUC", auc.item())
