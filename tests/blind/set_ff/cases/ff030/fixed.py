import argparse
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Settings:
    lr: float = 1e-3
    clip: float = 1.0
    steps: int = 4
    amp: bool = True


class SimpleVAE(nn.Module):
    def __init__(self, dim=24, latent=4):
        super().__init__()
        self.enc = nn.Linear(dim, 2 * latent)
        self.dec = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(-1).mean()
        return self.dec(z), kl


class AmpTrainer:
    def __init__(self, model, cfg):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.cfg = cfg
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=cfg.amp)

    def loss(self, x):
        with torch.autocast(self.device.type, enabled=self.cfg.amp):
            recon, kl = self.model(x)
            return F.mse_loss(recon.float(), x) + 0.1 * kl.float()

    def optimise(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return norm

    def run(self):
        self.model.train()
        for i in range(self.cfg.steps):
            x = torch.randn(16, 24, device=self.device)
            loss = self.loss(x)
            norm = self.optimise(loss)
            print(i, f"{loss.item():.4f} |g|={norm.item():.3f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--no-amp", action="store_true")
    args = p.parse_args()
    torch.manual_seed(0)
    AmpTrainer(SimpleVAE(), Settings(amp=not args.no_amp)).run()


if __name__ == "__main__":
    main()
