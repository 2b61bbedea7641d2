import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def accuracy(model, loader, device):
    model.eval()
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            pred = model(x.to(device)).argmax(1)
            pred = pred.cpu()
            hits += (pred == y).sum().item()
    return hits / len(loader.dataset)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(32, 6)
    loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8)
    model = nn.Sequential(nn.Linear(6, 12), nn.Hardswish(), nn.Linear(12, 2)).to(device)
    optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
    for _ in range(2):
        model.train()
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb.to(device)), yb.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(accuracy(model, loader, device))


if __name__ == "__main__":
    main()
