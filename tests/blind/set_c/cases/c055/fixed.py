import argparse

import torch
import torch.nn as nn


class Seq2Point(nn.Module):
    def __init__(self, window=16):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 8, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(8 * window, 1)

    def forward(self, x):
        return self.head(self.conv(x.unsqueeze(1)).flatten(1)).squeeze(1)


def windows(signal, size):
    return signal.unfold(0, size, 1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--window", type=int, default=16)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    signal = torch.sin(torch.linspace(0, 30, 128))
    x = windows(signal, args.window)
    y = x[:, args.window // 2] ** 2
    model = Seq2Point(args.window).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        for idx in torch.randperm(len(x)).split(32):
            xb, yb = x[idx].to(device), y[idx].to(device)
            loss = nn.MSELoss()(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
