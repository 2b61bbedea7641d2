import argparse
import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset

from evaluation import Evaluator


def consistency(model, x, noise):
    """Mean-teacher style penalty between two noisy views."""
    a, b = model(x + noise * torch.randn_like(x)), model(x + noise * torch.randn_like(x))
    return (a.softmax(1) - b.softmax(1)).pow(2).mean()


def train_epoch(model, averaged, loader, opt, device, noise=0.1):
    before = torch.cat([p.detach().flatten() for p in model.parameters()]).clone()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = nn.functional.cross_entropy(model(x), y) + consistency(model, x, noise)
        opt.zero_grad()
        loss.backward()
        opt.step()
        averaged.update_parameters(model)
    after = torch.cat([p.detach().flatten() for p in model.parameters()])
    return {"loss": loss.item(), "moved": (after - before).abs().sum().item()}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.05)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(32, 4)
    ds = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
    loader = DataLoader(ds, 8, shuffle=True)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
    averaged = AveragedModel(model)
    evaluate = Evaluator(DataLoader(ds, 16), device)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr)
    history = []
    for epoch in range(args.epochs):
        row = train_epoch(model, averaged, loader, opt, device)
        row.update(evaluate(model, averaged.module))
        history.append(row)
        print(epoch, row)
    return history


if __name__ == "__main__":
    history = main()
