import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class ConvNet(nn.Module):
    def __init__(self, n_classes=6):
        super().__init__()
        self.c1 = nn.Conv1d(4, 16, 5, padding=2)
        self.b1 = nn.BatchNorm1d(16)
        self.c2 = nn.Conv1d(16, 16, 5, padding=2)
        self.b2 = nn.BatchNorm1d(16)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(16, n_classes)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(self.drop(x.mean(dim=-1)))


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def __call__(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad > self.patience


@torch.no_grad()
def validation_loss(model, loader, device):
    model.eval()
    losses = []
    for x, y in loader:
        losses.append(F.cross_entropy(model(x.to(device)), y.to(device)).item())
    return sum(losses) / len(losses)


def train(model, train_loader, val_loader, device, max_epochs=4):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    stop = EarlyStopping(patience=2)
    for epoch in range(max_epochs):
        model.train()
        for x, y in train_loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        val = validation_loss(model, val_loader, device)
        print(epoch, round(val, 4))
        if stop(val):
            break


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sig = torch.randn(120, 4, 30)
    lab = torch.randint(0, 6, (120,))
    train(
        ConvNet().to(device),
        DataLoader(TensorDataset(sig[:90], lab[:90]), batch_size=30, shuffle=True),
        DataLoader(TensorDataset(sig[90:], lab[90:]), batch_size=30),
        device,
    )


if __name__ == "__main__":
    main()
