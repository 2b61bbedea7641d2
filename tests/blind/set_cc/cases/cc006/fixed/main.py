import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from metrics import CalibrationMeter


@torch.no_grad()
def validate(net, loader, meter, device):
    net.eval()
    meter.reset()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        meter.update(net(x), y)
    return meter.compute()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    data = TensorDataset(torch.randn(96, 10), torch.randint(0, 5, (96,)))
    loader = DataLoader(data, batch_size=32)
    meter = CalibrationMeter(bins=8)
    for epoch in range(2):
        net.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} ece {validate(net, loader, meter, device):.4f}")


if __name__ == "__main__":
    main()
