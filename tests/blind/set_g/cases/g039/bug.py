import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.drop(F.relu(layer(x)))
        return self.layers[-1](x)


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def validate(model, loader, device):
    model.eval()
    torch.set_grad_enabled(False)
    correct = total = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        correct += (model(x).argmax(1) == y).sum().item()
        total += y.numel()
    return correct / total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(60, 5)
    train_set, val_set = random_split(TensorDataset(x, (x.sum(1) > 0).long()), [40, 20])
    train_loader = DataLoader(train_set, batch_size=10, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=10)
    model = MLP([5, 16, 2]).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    best = 0.0
    for epoch in range(3):
        loss = train_one_epoch(model, train_loader, optimizer, device)
        accuracy = validate(model, val_loader, device)
        best = max(best, accuracy)
        print(f"{epoch}: loss {loss:.3f} val {accuracy:.2f} best {best:.2f}")


if __name__ == "__main__":
    main()
