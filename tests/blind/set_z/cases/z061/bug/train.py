import argparse
import logging

import torch
import torch.nn.functional as F

from gating import GatedStack

logger = logging.getLogger("gated")


class TemperatureSchedule:
    def __init__(self, start, end, steps):
        self.start, self.end, self.steps = start, end, max(1, steps)

    def __call__(self, step):
        t = min(step / self.steps, 1.0)
        return self.start + t * (self.end - self.start)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--dim", type=int, default=6)
    p.add_argument("--depth", type=int, default=2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = GatedStack(args.dim, args.depth, 2).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = TemperatureSchedule(2.0, 0.5, args.steps)
    model.train()
    for step in range(args.steps):
        model.anneal(schedule(step))
        x = torch.randn(16, args.dim, device=device)
        loss = F.cross_entropy(model(x), (x.sum(1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d %.4f", step, loss.item())


if __name__ == "__main__":
    main()
