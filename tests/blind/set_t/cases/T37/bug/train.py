import torch
from torch import nn
import torch.nn.functional as F
from export import Exporter


class Gesture(nn.Module):
    def __init__(self, axes=3, classes=4):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(axes, 8, 5, padding=2), nn.BatchNorm1d(8), nn.ReLU(), nn.AvgPool1d(2))
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(self.conv(x).mean(-1))


def batches(n, size=16):
    for _ in range(n):
        y = torch.randint(0, 4, (size,))
        t = torch.arange(20)
        x = torch.sin(t * (y[:, None] + 1) * 0.3).unsqueeze(1).repeat(1, 3, 1)
        yield x + 0.2 * torch.randn(size, 3, 20), y


def run_epoch(model, optimizer, device):
    model.train()
    total = 0.0
    for x, y in batches(4):
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / 4


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Gesture().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    export = Exporter("snapshots", torch.randn(1, 3, 20))
    best = float("inf")
    for epoch in range(3):
        loss = run_epoch(model, optimizer, device)
        print(epoch, loss)
        if loss < best:
            best = loss
            print("wrote", export(model, f"epoch{epoch}"))


if __name__ == "__main__":
    main()
