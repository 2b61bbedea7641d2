import argparse
import logging

import torch
from torch import nn

from distiller import Distiller

logger = logging.getLogger("kd")


class Net(nn.Module):
    def __init__(self, width, classes=5):
        super().__init__()
        self.width = width
        self.body = nn.Sequential(nn.Linear(10, width), nn.BatchNorm1d(width), nn.ReLU())
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        f = self.body(x)
        return f, self.fc(f)


@torch.no_grad()
def agreement(distiller, x):
    training = distiller.training
    distiller.eval()
    a = distiller.student(x)[1].argmax(1)
    b = distiller.teacher(x)[1].argmax(1)
    distiller.train(training)
    return (a == b).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--temperature", type=float, default=2.0)
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    distiller = Distiller(Net(32), Net(8), T=args.temperature).to(device)
    optimizer = torch.optim.Adam(distiller.parameters(), lr=1e-2)
    distiller.train()
    for step in range(args.steps):
        x = torch.randn(16, 10, device=device)
        y = torch.randint(0, 5, (16,), device=device)
        loss, parts = distiller(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d %s agree %.2f", step, parts, agreement(distiller, x))


if __name__ == "__main__":
    main()
