import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from evaluate import accuracy

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X = torch.randn(128, 10)
Y = (X[:, 0] * X[:, 1] > 0).long()
train_loader = DataLoader(TensorDataset(X[:96], Y[:96]), batch_size=24, shuffle=True)
val_loader = DataLoader(TensorDataset(X[96:], Y[96:]), batch_size=32)

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

model.train()
for epoch in range(3):
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), accuracy(model, val_loader, device))
