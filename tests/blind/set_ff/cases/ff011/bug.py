import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class WindowedSeries(Dataset):
    def __init__(self, series, window, horizon, device):
        self.series = series
        self.window = window
        self.horizon = horizon
        self.device = device
        self.mean = series.mean(0)
        self.std = series.std(0).clamp_min(1e-5)

    def __len__(self):
        return len(self.series) - self.window - self.horizon

    def _scaled(self, begin, end):
        return (self.series[begin:end] - self.mean) / self.std

    def __getitem__(self, i):
        past = self._scaled(i, i + self.window)
        future = self._scaled(i + self.window, i + self.window + self.horizon)
        return past.to(self.device), future.to(self.device)


class Forecaster(nn.Module):
    def __init__(self, features, horizon, hidden=32):
        super().__init__()
        self.horizon = horizon
        self.encoder = nn.LSTM(features, hidden, batch_first=True)
        self.proj = nn.Linear(hidden, horizon * features)
        self.features = features

    def forward(self, past):
        _, (h, _) = self.encoder(past)
        return self.proj(h[-1]).view(-1, self.horizon, self.features)


def make_loader(args, device):
    t = torch.linspace(0, 60, 240)
    series = torch.stack([torch.sin(t), torch.cos(0.5 * t)], dim=1)
    data = WindowedSeries(series, args.window, args.horizon, device)
    return DataLoader(data, batch_size=args.batch_size, shuffle=True, num_workers=args.workers,
                      persistent_workers=args.workers > 0)


def parse_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--window", type=int, default=24)
    p.add_argument("--horizon", type=int, default=6)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--epochs", type=int, default=1)
    return p.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = make_loader(args, device)
    model = Forecaster(2, args.horizon).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        for past, future in loader:
            loss = nn.functional.huber_loss(model(past), future)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
