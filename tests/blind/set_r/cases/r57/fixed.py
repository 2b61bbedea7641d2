import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Ema:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p, alpha=1 - self.decay)


class NoisePredictor(nn.Module):
    def __init__(self, dim=8, width=32):
        super().__init__()
        self.time = nn.Embedding(50, width)
        self.inp = nn.Linear(dim, width)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(width, dim))
        self.register_buffer("alpha", torch.linspace(0.99, 0.1, 50).cumprod(0))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))

    def loss(self, x):
        t = torch.randint(0, 50, (len(x),), device=x.device)
        noise = torch.randn_like(x)
        a = self.alpha[t].unsqueeze(1)
        return F.mse_loss(self(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    model = NoisePredictor()
    model.to(device)
    ema = Ema(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for step in range(args.steps):
        loss = model.loss(torch.randn(16, 8, device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
        print(step, loss.item())


if __name__ == "__main__":
    main()
