import argparse
import logging
from types import SimpleNamespace

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from ema import EMA

logging.basicConfig(level=logging.WARNING)
log = logging.getLogger("ema")


class UNet1d(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 3, padding=1)
        self.down = nn.Conv1d(ch, ch, 4, stride=2, padding=1)
        self.up = nn.ConvTranspose1d(ch, ch, 4, stride=2, padding=1)
        self.norm = nn.BatchNorm1d(ch)
        self.out = nn.Conv1d(2 * ch, 1, 3, padding=1)

    def forward(self, x):
        a = self.inp(x)
        b = self.up(F.silu(self.down(F.silu(self.norm(a)))))
        return self.out(torch.cat([a, b], dim=1))


def noisy(x, level):
    return x + level * torch.randn_like(x)


@torch.no_grad()
def score(model, x):
    model.eval()
    value = F.mse_loss(model(noisy(x, 0.3)), x).item()
    model.train()
    return value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--decay", type=float, default=0.9)
    args: SimpleNamespace = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = UNet1d()
    ema = EMA(model, args.decay)
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    t = torch.linspace(0, 6, 16)
    data = torch.sin(t[None] * (1 + torch.rand(24, 1))).unsqueeze(1)
    for epoch in range(args.epochs):
        for (x,) in DataLoader(TensorDataset(data), 8, shuffle=True):
            x = x.to(device)
            loss = F.mse_loss(model(noisy(x, 0.3)), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update()
        plain = score(model, data.to(device))
        with ema.applied() as averaged:
            smooth = score(averaged, data.to(device))
        log.warning("epoch %d plain %.4f averaged %.4f", epoch, plain, smooth)


if __name__ == "__main__":
    main()
