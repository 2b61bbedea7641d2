import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class UNetish(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.down = nn.Conv1d(1, c, 4, 2, 1)
        self.mid = nn.Conv1d(c, c, 3, 1, 1)
        self.up = nn.ConvTranspose1d(c, 1, 4, 2, 1)

    def forward(self, x):
        h = F.silu(self.down(x))
        return self.up(h + F.silu(self.mid(h)))


class Denoiser:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = UNetish().to(self.device)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=args.lr)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=not args.no_amp)

    def loss(self, clean):
        noisy = clean + self.args.sigma * torch.randn_like(clean)
        with torch.autocast(self.device.type, enabled=not self.args.no_amp):
            pred = self.net(noisy)
        return F.mse_loss(pred.float(), clean)

    def epoch(self, loader):
        losses = []
        for (clean,) in loader:
            clean = clean.to(self.device)
            loss = self.loss(clean)
            self.opt.zero_grad(set_to_none=True)
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.opt)
            nn.utils.clip_grad_norm_(self.net.parameters(), self.args.clip)
            self.scaler.step(self.opt)
            losses.append(loss.item())
        self.scaler.update()
        return sum(losses) / len(losses)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--sigma", type=float, default=0.2)
    ap.add_argument("--no-amp", action="store_true")
    args = ap.parse_args()
    t = torch.linspace(0, 6.28, 64)
    waves = torch.stack([torch.sin(t * f) for f in range(1, 25)])[:, None]
    loader = DataLoader(TensorDataset(waves), batch_size=8, shuffle=True)
    trainer = Denoiser(args)
    for e in range(args.epochs):
        print(e, trainer.epoch(loader))


if __name__ == "__main__":
    main()
