import argparse
import logging

import torch
import torch.nn.functional as F

from loaders import build_loader, to_device
from model import SiameseNLI

logger = logging.getLogger("nli")


class NLITrainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = SiameseNLI(dim=args.dim).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        self.loader = build_loader(args.batch_size)

    def step(self, batch):
        batch = to_device(batch, self.device)
        loss = F.cross_entropy(self.model(batch), batch["label"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run(self):
        for epoch in range(self.args.epochs):
            values = [self.step(b) for b in self.loader]
            logger.info("%d %.3f", epoch, sum(values) / len(values))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=12)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--batch-size", type=int, default=4)
    p.add_argument("--epochs", type=int, default=1)
    NLITrainer(p.parse_args()).run()
