"""Successive halving with checkpoints kept in memory."""
import argparse
import copy
import random
import torch
from torch import nn


class Candidate:
    def __init__(self, cfg, device):
        self.cfg, self.device = cfg, device
        act = getattr(nn, cfg["act"])
        self.model = nn.Sequential(nn.Linear(8, cfg["width"]), act(), nn.Dropout(cfg["drop"]), nn.Linear(cfg["width"], 1))
        self.opt = getattr(torch.optim, cfg["opt"])(self.model.parameters(), lr=cfg["lr"])
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 5, 0.5)
        self.model.to(device)
        self.steps = 0

    def train(self, data, budget):
        self.model.train()
        x, y = data
        for _ in range(budget):
            i = torch.randint(len(x), (16,))
            pred = self.model(x[i]).squeeze(1)
            loss = nn.functional.huber_loss(pred, y[i])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()
            self.steps += 1

    @torch.no_grad()
    def score(self, data):
        self.model.eval()
        x, y = data
        return (self.model(x).squeeze(1) - y).abs().mean().item()

    def snapshot(self):
        return {"model": copy.deepcopy(self.model).cpu().state_dict(), "opt": copy.deepcopy(self.opt.state_dict())}

    def restore(self, snap):
        self.model.load_state_dict(snap["model"])
        self.opt.load_state_dict(snap["opt"])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--trials", type=int, default=8)
    ap.add_argument("--device", type=torch.device, default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    rng = random.Random(0)
    x = torch.randn(96, 8)
    y = x.sum(1).tanh()
    train, val = ((x[s].to(args.device), y[s].to(args.device)) for s in (slice(0, 64), slice(64, None)))
    grid = dict(act=["ReLU", "GELU"], width=[8, 16], drop=[0.0, 0.1], opt=["SGD", "AdamW"], lr=[1e-2, 1e-3])
    pool = [Candidate({k: rng.choice(v) for k, v in grid.items()}, args.device) for _ in range(args.trials)]
    budget = 3
    while len(pool) > 1:
        for c in pool:
            c.train(train, budget)
        pool.sort(key=lambda c: c.score(val))
        pool, budget = pool[: len(pool) // 2], budget * 2
    snap = pool[0].snapshot()
    pool[0].train(train, 2)
    pool[0].restore(snap)
    print(pool[0].cfg, pool[0].score(val))


main()
