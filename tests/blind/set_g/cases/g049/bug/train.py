import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from evaluation import evaluate


class Encoder(nn.Module):
    def __init__(self, dim=16, heads=2, classes=3):
        super().__init__()
        self.proj = nn.Linear(4, dim)
        self.attn = nn.MultiheadAttention(dim, heads, dropout=0.1, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, x):
        h = self.proj(x)
        a, _ = self.attn(h, h, h, need_weights=False)
        return self.fc(self.norm(h + a).mean(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(48, 5, 4)
y = (x.mean((1, 2)) > 0).long()
train = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=8, shuffle=True)
val = DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8)
model = Encoder().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(2):
    for xb, yb in train:
        xb, yb = xb.to(device), yb.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    val_loss, val_acc = evaluate(model, val, device)
    print(f"epoch {epoch}: val loss {val_loss:.3f} acc {val_acc:.2f}")
