import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import train_one_epoch, validate


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    x = torch.randn(64, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    loader = DataLoader(data, batch_size=16, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for epoch in range(3):
        train = train_one_epoch(model, loader, optimizer, nn.functional.mse_loss, device)
        val = validate(model, loader, nn.functional.mse_loss, device)
        print(epoch, train, val)


if __name__ == "__main__":
    main()
