import argparse

import torch
from torch import nn


def make_model(dropout):
    return nn.Sequential(
        nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(dropout), nn.Linear(64, 4)
    )


def sample(n, device):
    x = torch.randn(n, 16, device=device)
    return x, x[:, :4].argmax(1)


def train_step(model, optimizer, batch):
    x, y = batch
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def estimate(model, device, rounds=2):
    model.eval()
    accs = []
    for _ in range(rounds):
        x, y = sample(64, device)
        accs.append((model(x).argmax(1) == y).float().mean().item())
    model.train()
    return sum(accs) / len(accs)


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=500)
    p.add_argument("--eval_every", type=int, default=50)
    p.add_argument("--dropout", type=float, default=0.3)
    args = p.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = make_model(args.dropout).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for it in range(args.iters):
        loss = train_step(model, optimizer, sample(32, device))
        if (it + 1) % args.eval_every == 0:
            print(it, loss, estimate(model, device))


if __name__ == "__main__":
    main()
