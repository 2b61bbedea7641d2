import argparse
from collections import defaultdict

import torch
from torch import nn
import torch.nn.functional as F

from fusion import LateFusion


class Averager:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def add(self, v):
        self.total += v
        self.n += 1

    def item(self):
        return self.total / max(self.n, 1)


def batch(dims, n, device):
    data = {k: torch.randn(n, d, device=device) for k, d in dims.items()}
    return data, (data["audio"].mean(1) > 0).long()


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=3)
parser.add_argument("--lr", type=float, default=1e-2)
args = parser.parse_args()
DIMS = {"audio": 5, "video": 9}
WIDTH = {"audio": 6, "video": 8}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = LateFusion(DIMS, WIDTH).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
meters = defaultdict(Averager)
for step in range(args.steps):
    inputs, labels = batch(DIMS, 8, device)
    logits = model(inputs)
    loss = F.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meters["loss"].add(loss.item())
    meters["acc"].add((logits.argmax(1) == labels).float().mean().item())
print({k: m.item() for k, m in meters.items()})
