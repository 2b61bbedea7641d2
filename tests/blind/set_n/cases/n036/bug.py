import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))

    def forward(self, x):
        return self.layers(x)


def accuracy(model, loader, device):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def run_epoch(model, loader, opt, crit, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        loss = crit(model(x), y)
        loss.backward()
        opt.step()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ds = TensorDataset(torch.randn(60, 10), torch.randint(0, 2, (60,)))
train, val = random_split(ds, [40, 20])
model = Net().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
crit = nn.CrossEntropyLoss()
modes = []
model.train()
for epoch in range(3):
    modes.append(model.training)
    run_epoch(model, DataLoader(train, 20, shuffle=True), opt, crit, device)
    print(epoch, accuracy(model, DataLoader(val, 20), device))
