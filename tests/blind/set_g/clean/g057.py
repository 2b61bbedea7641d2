import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    return p.parse_args()


class Trainer:
    def __init__(self, args, model, loader):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.loader = loader
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.updates = 0

    def apply(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.updates += 1

    def epoch(self):
        self.model.train()
        n = len(self.loader)
        running = 0.0
        for i, (x, y) in enumerate(self.loader):
            x, y = x.to(self.device), y.to(self.device)
            loss = F.cross_entropy(self.model(x), y)
            (loss / self.args.accum).backward()
            running += loss.item()
            if (i + 1) % self.args.accum == 0 or i + 1 == n:
                self.apply()
        return running / n


def main():
    args = get_args()
    data = TensorDataset(torch.randn(28, 5), torch.randint(0, 2, (28,)))
    model = nn.Sequential(nn.Linear(5, 12), nn.GELU(), nn.Linear(12, 2))
    trainer = Trainer(args, model, DataLoader(data, batch_size=4, shuffle=True))
    for e in range(2):
        print(e, trainer.epoch(), trainer.updates)


if __name__ == "__main__":
    main()
