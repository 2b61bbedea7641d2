import argparse
import random

import torch
from torch import nn

from blocks import Encoder


def set_seed(seed: int):
    random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


class Runner:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Encoder(args.channels).to(self.device)
        self.optim = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.loss_fn = nn.CrossEntropyLoss()
        self.best = float("inf")

    def batch(self):
        x = torch.randn(self.args.batch_size, 7, self.args.channels)
        return x.to(self.device), torch.randint(0, 3, (len(x),), device=self.device)

    def train_step(self):
        x, y = self.batch()
        self.optim.zero_grad()
        loss = self.loss_fn(self.model(x), y)
        loss.backward()
        self.optim.step()
        return loss.item()

    def run(self):
        self.model.train()
        for step in range(self.args.steps):
            value = self.train_step()
            self.best = min(self.best, value)
        print(f"best {self.best:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--channels", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    set_seed(0)
    Runner(args).run()
