import argparse
import logging

import torch
import torch.nn.functional as F

from activation import SplineNet
from settings import Settings

log = logging.getLogger(__name__)


def synthetic(n, device):
    x = torch.rand(n, 3, device=device) * 2 - 1
    return x, torch.sin(3 * x).sum(1, keepdim=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", type=argparse.FileType("r"), default=None)
    ap.add_argument("--hidden", type=int, default=8)
    args = ap.parse_args()
    settings = Settings.load(args.config.read()) if args.config else Settings.load()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SplineNet(3, args.hidden, 1, settings.init).to(device)
    opt = torch.optim.Adam(net.groups(settings.optim.lr), lr=settings.optim.lr)
    for step in range(settings.optim.steps):
        x, y = synthetic(32, device)
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.info("%d %.4f", step, loss.item())


if __name__ == "__main__":
    main()
