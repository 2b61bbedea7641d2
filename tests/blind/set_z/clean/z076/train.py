import argparse
import copy

import torch
from torch import nn

from ensemble import DeepEnsemble, SharedTrunk


class EarlyStop:
    def __init__(self, patience=2, delta=1e-3):
        self.patience, self.delta = patience, delta
        self.best, self.count, self.state = float("inf"), 0, None

    def update(self, value, state):
        if value < self.best - self.delta:
            self.best, self.count, self.state = value, 0, copy.deepcopy(state)
        else:
            self.count += 1
        return self.count >= self.patience


def member():
    return SharedTrunk(nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(0.1)), heads=2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ensemble = DeepEnsemble(member, args.members).to(device)
    optimizer = torch.optim.Adam(ensemble.parameters(), lr=1e-2)
    stop = EarlyStop()
    x = torch.randn(24, 5, device=device)
    y = torch.randint(0, 3, (24,), device=device)
    for epoch in range(args.epochs):
        ensemble.train()
        loss = ensemble.loss(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean, entropy = ensemble.eval().predict(x)
        print(epoch, loss.item(), entropy.mean().item())
        if stop.update(loss.item(), ensemble.state_dict()):
            break


if __name__ == "__main__":
    main()
