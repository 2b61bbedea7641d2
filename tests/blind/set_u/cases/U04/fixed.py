import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LOSSES = {
    "mse": nn.MSELoss,
    "mae": nn.L1Loss,
    "huber": nn.SmoothL1Loss,
}

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU}


def mlp(sizes, act):
    layers = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(i, o), ACTIVATIONS[act]()]
    return nn.Sequential(*layers[:-1])


class Forecaster:
    def __init__(self, args, device):
        self.device = device
        self.net = mlp([24, 64, 64, 6], args.act).to(device)
        self.loss_fn = LOSSES[args.loss]()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=args.lr)

    def train_epoch(self, loader):
        self.net.train()
        total, n = 0.0, 0
        for history, future in loader:
            history, future = history.to(self.device), future.to(self.device)
            pred = self.net(history)
            loss = self.loss_fn(pred, future)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * len(history)
            n += len(history)
        return total / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--loss", choices=sorted(LOSSES), default="mse")
    ap.add_argument("--act", choices=sorted(ACTIVATIONS), default="relu")
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    t = torch.linspace(0, 60, 330)
    series = torch.sin(t) + 0.1 * torch.randn_like(t)
    windows = series.unfold(0, 30, 5)
    data = TensorDataset(windows[:, :24], windows[:, 24:])
    f = Forecaster(args, "cuda" if torch.cuda.is_available() else "cpu")
    for epoch in range(2):
        print(epoch, f.train_epoch(DataLoader(data, batch_size=16, shuffle=True)))


if __name__ == "__main__":
    main()
