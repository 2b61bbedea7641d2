import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from ema import EMA


class Denoiser(nn.Module):
    def __init__(self, dim=8, width=32):
        super().__init__()
        self.t_embed = nn.Embedding(20, width)
        self.inp = nn.Linear(dim, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, dim)

    def forward(self, x, t):
        h = F.silu(self.inp(x) + self.t_embed(t))
        return self.out(F.silu(self.mid(h)))


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = Denoiser()
        betas = torch.linspace(1e-4, 0.2, 20)
        self.abar = torch.cumprod(1 - betas, 0).to(self.device)
        self.net.to(self.device)
        self.ema = EMA(self.net, decay=args.decay)
        self.log = []
        self.setup()

    def setup(self):
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=self.args.lr)

    def q_sample(self, x, t):
        a = self.abar[t].unsqueeze(1)
        eps = torch.randn_like(x)
        return a.sqrt() * x + (1 - a).sqrt() * eps, eps

    def step(self, x):
        x = x.to(self.device)
        t = torch.randint(0, 20, (x.size(0),), device=self.device)
        xt, eps = self.q_sample(x, t)
        loss = F.mse_loss(self.net(xt, t), eps)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        self.ema.update(self.net)
        return loss.item()

    def fit(self):
        for i in range(self.args.steps):
            self.log.append(self.step(torch.randn(16, 8)))
        self.ema.apply_to(self.net)
        print("last losses", self.log[-2:])
        self.ema.restore(self.net)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=10)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--decay", type=float, default=0.995)
    Trainer(ap.parse_args()).fit()
