import argparse

import torch
import torch.nn.functional as F

from model import Stack
from schedule import GradualUnfreeze, WarmRestart


def batch(classes, device, n=8):
    ids = torch.randint(0, 30, (n, 5), device=device)
    return ids, ids[:, 0] % classes


def run(model, optimizer, unfreeze, classes, epochs, device):
    for epoch in range(epochs):
        if unfreeze is not None and epoch > 0:
            unfreeze.step()
        for _ in range(2):
            ids, y = batch(classes, device)
            loss = F.cross_entropy(model(ids), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, len(optimizer.param_groups), round(loss.item(), 3))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--epochs", type=int, default=3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Stack().to(device)
    optimizer = torch.optim.AdamW(model.head.parameters(), lr=args.lr)
    model.emb.requires_grad_(False)
    run(model, optimizer, GradualUnfreeze(optimizer, model.blocks, args.lr), 4, args.epochs, device)
    model.requires_grad_(True)
    model.replace_head(6)
    warm = WarmRestart(lambda: torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9))
    run(model, warm.optimizer, None, 6, 1, device)
    run(model, warm.restart(), None, 6, 1, device)


if __name__ == "__main__":
    main()
