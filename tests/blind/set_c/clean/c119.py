import contextlib

import torch
from torch import nn


def run_epoch(model, batches, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    mode = contextlib.nullcontext() if training else torch.no_grad()
    total, seen = 0.0, 0
    with mode:
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.item() * len(y)
            seen += len(y)
    return total / seen


def toy(n):
    return [(torch.randn(8, 5), torch.randint(0, 3, (8,))) for _ in range(n)]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    train, dev = toy(3), toy(2)
    for epoch in range(2):
        a = run_epoch(model, train, device, optimizer)
        b = run_epoch(model, dev, device)
        print(epoch, round(a, 3), round(b, 3))


if __name__ == "__main__":
    main()
