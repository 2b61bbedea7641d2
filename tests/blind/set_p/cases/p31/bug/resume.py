import argparse
import os
import tempfile

import torch
import torch.nn as nn

import ckpt


def make_model():
    return nn.Sequential(nn.Linear(7, 20), nn.ELU(), nn.Linear(20, 1))


def train_epoch(model, optimizer, device, steps=4):
    for _ in range(steps):
        x = torch.randn(12, 7)
        y = x.amax(dim=1, keepdim=True)
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = nn.functional.l1_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def run(path, epochs, device):
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    first = ckpt.resume(path, model, optimizer)
    model.to(device)
    for epoch in range(first, first + epochs):
        print(epoch, train_epoch(model, optimizer, device))
    return model, optimizer, epoch


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--dir", default=None)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    path = os.path.join(args.dir or tempfile.mkdtemp(), "run", "last.pt")
    model, optimizer, last = run(path, args.epochs, torch.device("cpu"))
    ckpt.save(path, model, optimizer, last)
    run(path, args.epochs, device)
