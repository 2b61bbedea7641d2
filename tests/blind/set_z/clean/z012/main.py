import argparse
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from checkpoint import CheckpointManager

OPTIMIZERS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_model():
    return nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3))


def build(args):
    model = make_model().to(args.device)
    if torch.cuda.is_available() and torch.cuda.device_count() > 1 and args.parallel:
        model = nn.DataParallel(model)
    optimizer = OPTIMIZERS[args.optim](model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    return model, optimizer, scheduler


def run_epochs(first, last, model, optimizer, scheduler, ckpt, args):
    model.train()
    for epoch in range(first, last):
        for _ in range(2):
            x = torch.randn(8, 6).to(args.device)
            y = torch.randint(0, 3, (8,)).to(args.device)
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        ckpt.save(epoch, model, optimizer, scheduler, loss=loss.item())


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--optim", default="adam", choices=sorted(OPTIMIZERS))
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--parallel", action="store_true")
    args = ap.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    seed_everything(5)
    with tempfile.TemporaryDirectory() as folder:
        ckpt = CheckpointManager(folder)
        model, optimizer, scheduler = build(args)
        run_epochs(0, 2, model, optimizer, scheduler, ckpt, args)
        model, optimizer, scheduler = build(args)
        start = ckpt.resume(model, optimizer, scheduler)
        run_epochs(start, start + 1, model, optimizer, scheduler, ckpt, args)
