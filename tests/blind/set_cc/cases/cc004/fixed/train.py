import argparse

import torch
from torch import nn
import torch.nn.functional as F

from data import loaders
from retrieval import recall_at_k


def info_nce(a, b, temperature=0.07):
    a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
    logits = a @ b.T / temperature
    labels = torch.arange(len(a), device=a.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def main(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 16)).to(device)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=args.lr)
    train_loader, valid_loader = loaders(16)
    for epoch in range(args.epochs):
        encoder.train()
        for batch in train_loader:
            batch = {k: v.to(device) for k, v in batch.items()}
            loss = info_nce(encoder(batch["anchor"]), encoder(batch["positive"]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, recall_at_k(encoder, valid_loader))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    main(parser.parse_args())
