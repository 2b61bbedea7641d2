import argparse

import torch
from torch import nn
import torch.nn.functional as F

from sam import SAM


class Mixer(nn.Module):
    def __init__(self, tokens=4, dim=8, classes=3):
        super().__init__()
        self.tok, self.ch = nn.Linear(tokens, tokens), nn.Linear(dim, dim)
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = x + self.tok(self.n1(x).transpose(1, 2)).transpose(1, 2).relu()
        x = x + self.ch(self.n2(x)).relu()
        return self.head(x.mean(1))


def train(model, optimizer, batches, device):
    model.train()
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.first_step(zero_grad=True)
        F.cross_entropy(model(x), y).backward()
        optimizer.second_step(zero_grad=True)
        yield loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rho", type=float, default=0.05)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--steps", type=int, default=3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Mixer().to(device)
    optimizer = SAM(model.parameters(), torch.optim.SGD, rho=args.rho, lr=args.lr)
    batches = [(torch.randn(8, 4, 8), torch.randint(0, 3, (8,))) for _ in range(args.steps)]
    for i, value in enumerate(train(model, optimizer, batches, device)):
        print(i, f"{value:.4f}")


if __name__ == "__main__":
    main()
