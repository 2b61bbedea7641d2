import argparse
import json
import logging

import torch
import torch.nn.functional as F

from blocks import build

logger = logging.getLogger(__name__)


class Runner:
    def __init__(self, cfg, lr, device):
        self.device = device
        self.model = build(cfg).to(device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.LinearLR(self.opt, 0.1, total_iters=3)

    def step(self, x, y):
        self.model.train()
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()
        return loss.item()

    @torch.no_grad()
    def lipschitz(self):
        self.model.eval()
        head = self.model.head
        return torch.linalg.matrix_norm(head.weight / head.sigma(), 2).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cfg", type=json.loads, default={"dim": 8, "depth": 4, "segments": 2})
    p.add_argument("--steps", type=int, default=3)
    args = p.parse_args()
    runner = Runner(args.cfg, 1e-2, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(args.steps):
        logger.info("%.4f", runner.step(torch.randn(8, 8), torch.randint(0, 3, (8,))))


if __name__ == "__main__":
    main()
