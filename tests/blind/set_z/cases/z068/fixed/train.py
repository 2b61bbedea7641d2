import argparse
import os
import tempfile

import torch
from torch import nn
import torch.nn.functional as F

from checkpoint import auto_resume, save_checkpoint


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--output", default=None)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--rank", type=int, default=int(os.environ.get("RANK", 0)))
    p.add_argument("--world-size", type=int, default=int(os.environ.get("WORLD_SIZE", 1)))
    return p.parse_args()


def build(args):
    args.distributed = args.world_size > 1
    device = torch.device("cuda", args.rank) if torch.cuda.is_available() else torch.device("cpu")
    model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2)).to(device)
    if args.distributed:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[args.rank])
    return model, torch.optim.Adam(model.parameters(), lr=1e-2), device


def run(args, epochs):
    model, optimizer, device = build(args)
    start, best = auto_resume(args, model, optimizer)
    for epoch in range(start, epochs):
        model.train()
        x = torch.randn(16, 5, device=device)
        loss = F.cross_entropy(model(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = max(best, -loss.item())
        save_checkpoint(args, epoch, model, optimizer, best)
        print(f"epoch {epoch} of {epochs}: {loss.item():.4f}")


if __name__ == "__main__":
    args = parse()
    args.output = args.output or tempfile.mkdtemp()
    run(args, args.epochs)
    run(args, args.epochs + 1)
