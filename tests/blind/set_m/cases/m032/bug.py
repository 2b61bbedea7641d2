import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def class_weights(labels, n_classes):
    counts = torch.bincount(labels, minlength=n_classes).float()
    return counts.sum() / (n_classes * counts.clamp(min=1))


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, target, weight=None):
        ce = F.cross_entropy(logits, target, weight=weight, reduction="none")
        pt = torch.exp(-ce)
        return ((1 - pt) ** self.gamma * ce).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.randn(120, 9)
Y = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), 120, replacement=True)
weights = class_weights(Y, 3)
loader = DataLoader(TensorDataset(X, Y), batch_size=24, shuffle=True)

model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
criterion = FocalLoss().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for epoch in range(2):
    model.train()
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        loss = criterion(model(x), y, weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
