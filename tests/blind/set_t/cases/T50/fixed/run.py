import argparse
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from blocks import ResidualUnit


class Prices(Dataset):
    def __init__(self, n=300, window=32):
        self.r = 0.02 * torch.randn(n, 3) + 0.01 * torch.sin(torch.arange(n) / 8).unsqueeze(1)
        self.window = window

    def __len__(self):
        return len(self.r) - self.window

    def __getitem__(self, i):
        return self.r[i : i + self.window].t(), self.r[i + self.window]


class WaveNet(nn.Module):
    def __init__(self, series=3, widths=(8, 16, 16), horizon=1):
        super().__init__()
        channels = [series, *widths]
        self.units = nn.Sequential(*(ResidualUnit(a, b, 2 ** i) for i, (a, b) in enumerate(zip(channels, channels[1:]))))
        self.mean = nn.Linear(widths[-1], series)
        self.log_scale = nn.Linear(widths[-1], series)

    def forward(self, x):
        h = self.units(x)[..., -1]
        return self.mean(h), self.log_scale(h).clamp(-7, 2)


def laplace_nll(mean, log_scale, y):
    return ((y - mean).abs() / log_scale.exp() + log_scale).mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--batch", type=int, default=64)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Prices(), batch_size=args.batch, shuffle=True)
    model = WaveNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        for x, y in loader:
            mean, log_scale = model(x.to(device))
            loss = laplace_nll(mean, log_scale, y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
