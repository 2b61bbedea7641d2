import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import ModelEMA


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4)
        )
        self.ema = ModelEMA(self.model, args.ema) if args.ema else None

    def batches(self, n):
        for _ in range(n):
            yield torch.randn(8, 1, 12, 12), torch.randint(0, 4, (8,))

    def fit(self):
        device = self.args.device
        self.model.to(device)
        opt = torch.optim.SGD(self.model.parameters(), lr=self.args.lr, momentum=0.9)
        self.model.train()
        for x, y in self.batches(self.args.steps):
            x, y = x.to(device), y.to(device)
            loss = F.cross_entropy(self.model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if self.ema:
                self.ema.update(self.model)
        return loss.item()

    def averaged(self):
        return self.ema.apply_to(copy.deepcopy(self.model)).eval()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--ema", type=float, default=0.0)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    trainer = Trainer(p.parse_args())
    print("loss", trainer.fit())
    if trainer.ema:
        print(sum(p.numel() for p in trainer.averaged().parameters()))
