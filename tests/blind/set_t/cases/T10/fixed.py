import argparse
import json
from pathlib import Path

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, n=16):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, n, 5, padding=2), nn.ReLU(), nn.Conv1d(n, n, 5, padding=2), nn.ReLU(), nn.Conv1d(n, 1, 5, padding=2))

    def forward(self, x):
        return x - self.net(x)


class Run:
    def __init__(self, args):
        self.args = args
        self.folder = Path(args.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.device = torch.device(args.device)
        self.model = Denoiser().to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        self.epoch = 0

    @property
    def latest(self):
        return self.folder / "latest.pt"

    def save(self):
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": self.epoch}, self.latest)
        (self.folder / "config.json").write_text(json.dumps(vars(self.args)))

    def maybe_resume(self):
        if not self.latest.exists():
            return False
        state = torch.load(self.latest, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"]
        return True

    def train(self, epochs):
        while self.epoch < epochs:
            clean = torch.sin(torch.linspace(0, 20, 64, device=self.device)).repeat(8, 1, 1)
            noisy = clean + 0.3 * torch.randn_like(clean)
            loss = (self.model(noisy) - clean).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.epoch += 1
            self.save()
            print(self.epoch, loss.item())


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="runs/denoise")
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    Run(args).train(1)
    again = Run(args)
    print("resumed:", again.maybe_resume())
    again.train(args.epochs)
