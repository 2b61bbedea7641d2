import torch
from torch.utils.data import DataLoader, TensorDataset

from engine import accuracy, train_one_epoch
from net import ResidualMLP


def build():
    return ResidualMLP(12, 3)


def fit(model, epochs):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(96, 12), torch.randint(0, 3, (96,)))
    train, valid = torch.utils.data.random_split(data, [64, 32])
    train, valid = DataLoader(train, 16, shuffle=True), DataLoader(valid, 32)
    best = 0.0
    for epoch in range(epochs):
        loss = train_one_epoch(model, train, optimizer, device)
        best = max(best, accuracy(model, valid, device))
        print(f"{epoch}: {loss:.3f} best {best:.2f}")
    return model


if __name__ == "__main__":
    fit(build(), 2)
