import argparse
import torch
from torch import nn


def get_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--no-cuda", action="store_true")
    p.add_argument("--latent", type=int, default=6)
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args(argv)
    args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    return args


class CVAE(nn.Module):
    def __init__(self, latent, x=12, classes=4):
        super().__init__()
        self.latent, self.classes = latent, classes
        self.enc = nn.Linear(x + classes, 2 * latent)
        self.dec = nn.Sequential(nn.Linear(latent + classes, 24), nn.ReLU(), nn.Linear(24, x))

    def onehot(self, y):
        return nn.functional.one_hot(y, self.classes).float()

    def forward(self, x, y):
        c = self.onehot(y)
        mu, lv = self.enc(torch.cat([x, c], 1)).chunk(2, 1)
        z = mu + (lv / 2).exp() * torch.randn_like(mu)
        return self.dec(torch.cat([z, c], 1)), mu, lv

    @torch.no_grad()
    def generate(self, y):
        z = torch.randn(len(y), self.latent).cuda()
        return self.dec(torch.cat([z, self.onehot(y)], 1))


def main():
    args = get_args()
    model = CVAE(args.latent).to(args.device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(args.rounds):
        x = torch.randn(16, 12, device=args.device)
        y = torch.randint(0, 4, (16,), device=args.device)
        out, mu, lv = model(x, y)
        kl = -0.5 * (1 + lv - mu.square() - lv.exp()).sum(1).mean()
        loss = (out - x).square().sum(1).mean() + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    print(model.generate(torch.arange(4, device=args.device)).shape)


main()
