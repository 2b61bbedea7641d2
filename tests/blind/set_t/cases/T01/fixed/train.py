import argparse
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from forecaster import Forecaster


def make_data(n=64, length=24, series=3):
    t = torch.linspace(0, 12, length + 1)
    phase = torch.rand(n, 1, series) * 6
    x = torch.sin(t[None, :, None] + phase) + 0.05 * torch.randn(n, length + 1, series)
    return TensorDataset(x[:, :-1], x[:, 1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(make_data(), batch_size=16, shuffle=True)
    model = Forecaster(3).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        running = 0.0
        for past, target in loader:
            past, target = past.to(device), target.to(device)
            loss = F.smooth_l1_loss(model(past), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(past)
        print(epoch, running / len(loader.dataset))


if __name__ == "__main__":
    main()
