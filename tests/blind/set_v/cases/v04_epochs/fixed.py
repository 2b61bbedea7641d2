import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class ConvNet(nn.Module):
    def __init__(self, n_classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten()
        )
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(32, n_classes))

    def forward(self, x):
        return self.head(self.features(x))


@torch.no_grad()
def accuracy(net, loader):
    net.eval()
    hits = seen = 0
    for x, y in loader:
        hits += (net(x).argmax(1) == y).sum().item()
        seen += y.numel()
    return hits / seen


def fit(net, train, val, epochs, lr=0.05):
    opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()
    best = accuracy(net, val)
    for epoch in range(epochs):
        net.train()
        for x, y in train:
            loss = loss_fn(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        best = max(best, accuracy(net, val))
    return best


torch.manual_seed(0)
full = TensorDataset(torch.randn(48, 1, 8, 8), torch.randint(0, 4, (48,)))
train_set, val_set = random_split(full, [32, 16])
train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
val_loader = DataLoader(val_set, batch_size=16)
model = ConvNet()
print("best", fit(model, train_loader, val_loader, epochs=3))
