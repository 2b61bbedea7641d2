import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from evaluation import validate

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X, Y = torch.randn(96, 3, 8, 8), torch.randint(0, 3, (96,))
train_loader = DataLoader(TensorDataset(X[:64], Y[:64]), batch_size=16, shuffle=True)
val_loader = DataLoader(TensorDataset(X[64:], Y[64:]), batch_size=16)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 3)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for epoch in range(2):
    model.train()
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    val_loss, val_acc = validate(model, val_loader, device)
    print(f"epoch {epoch} val_loss {val_loss:.3f} val_acc {val_acc:.3f}")
