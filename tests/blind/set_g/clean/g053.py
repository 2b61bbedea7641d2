import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, x):
        return self.fc(x)


def train_epoch(model, loader, optimizer, device):
    """The running sum stays on the device; one host read per epoch."""
    model.train()
    total = torch.zeros((), device=device)
    seen = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach() * len(x)
        seen += len(x)
    return total.item() / seen


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for epoch in range(3):
        mean = train_epoch(model, loader, optimizer, device)
        history.append(mean)
        print(epoch, mean)


if __name__ == "__main__":
    main()
