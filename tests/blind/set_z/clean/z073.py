"""Two stages on two devices where there are two; otherwise both on the same one."""
import argparse
import logging
from dataclasses import dataclass
from typing import List, Tuple

import torch
from torch import nn
import torch.nn.functional as F

logger = logging.getLogger("pipeline")


@dataclass(frozen=True)
class Placement:
    first: torch.device
    second: torch.device

    @classmethod
    def detect(cls):
        if not torch.cuda.is_available():
            cpu = torch.device("cpu")
            return cls(cpu, cpu)
        if torch.cuda.device_count() > 1:
            return cls(torch.device("cuda:0"), torch.device("cuda:1"))
        return cls(torch.device("cuda:0"), torch.device("cuda:0"))


class Stage(nn.Module):
    def __init__(self, sizes: List[int], device):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b, device=device), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])
        self.device = device

    def forward(self, x):
        return self.layers(x.to(self.device))


class TwoStage(nn.Module):
    def __init__(self, place: Placement, dim=8, hidden=16, classes=3):
        super().__init__()
        self.place = place
        self.front = Stage([dim, hidden, hidden], place.first)
        self.back = Stage([hidden, hidden, classes], place.second)
        self.skip = nn.Linear(dim, classes, device=place.first)

    def forward(self, x):
        x = x.to(self.place.first)
        return self.back(self.front(x)) + self.skip(x).to(self.place.second)

    @property
    def output_device(self):
        return self.place.second


def run_epoch(model, optimizer, batches) -> Tuple[float, float]:
    model.train()
    loss_sum, hits, n = 0.0, 0, 0
    for x, y in batches:
        y = y.to(model.output_device)
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(y)
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return loss_sum / n, hits / n


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args(argv)
    place = Placement.detect()
    logger.info("placement %s", place)
    model = TwoStage(place)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    data = [(torch.randn(8, 8), torch.randint(0, 3, (8,))) for _ in range(3)]
    for epoch in range(args.epochs):
        loss, acc = run_epoch(model, optimizer, data)
        print(f"epoch {epoch}: {loss:.4f} {acc:.2f}")


if __name__ == "__main__":
    main()
