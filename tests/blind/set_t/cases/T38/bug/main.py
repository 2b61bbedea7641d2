import argparse
import torch
from torch import nn
import torch.nn.functional as F
from ema import EMA


class ScoreNet(nn.Module):
    def __init__(self, joints=10, width=32):
        super().__init__()
        self.inp = nn.Linear(2 * joints + 1, width)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.out = nn.Linear(width, 2 * joints)

    def forward(self, x, sigma):
        h = torch.cat([x.flatten(1), sigma.log()], 1)
        return self.out(self.mid(self.inp(h))).view_as(x) / sigma[..., None]


class PosePrior:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device(cfg.device)
        self.net = ScoreNet()
        self.ema = EMA(self.net)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)

    def setup(self):
        self.net.to(self.device)
        return self

    def loss(self, x):
        sigma = torch.empty(len(x), 1, device=x.device).uniform_(-3, 0).exp()
        noise = torch.randn_like(x)
        score = self.net(x + noise * sigma[..., None], sigma)
        return (score * sigma[..., None] + noise).square().mean()

    def fit(self, poses):
        for step in range(self.cfg.steps):
            x = poses[torch.randint(len(poses), (16,))].to(self.device)
            loss = self.loss(x)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.ema.update(self.net)
        return loss.item()

    @torch.no_grad()
    def plausibility(self, poses):
        self.ema.swap_in(self.net)
        sigma = torch.full((len(poses), 1), 0.1, device=self.device)
        value = self.net(poses.to(self.device), sigma).norm(dim=-1).mean().item()
        self.ema.swap_out(self.net)
        return value


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--steps", type=int, default=6)
    ap.add_argument("--lr", type=float, default=1e-3)
    cfg = ap.parse_args()
    torch.manual_seed(0)
    prior = PosePrior(cfg).setup()
    poses = torch.randn(50, 10, 2)
    print(prior.fit(poses), prior.plausibility(poses[:5]))
