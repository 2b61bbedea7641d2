import argparse
import random

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from batching import pad_batch
from encoder import TextClassifier


def corpus(n, vocab):
    rng = random.Random(0)
    return [(torch.tensor([rng.randrange(1, vocab) for _ in range(rng.randrange(2, 9))]), rng.randrange(3))
            for _ in range(n)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=30)
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--hidden", type=int, default=8)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TextClassifier(args.vocab, 3, hidden=args.hidden).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(corpus(16, args.vocab), batch_size=4, collate_fn=pad_batch)
    for epoch in range(args.epochs):
        seen = 0
        for batch in loader:
            batch = batch.to(device)
            loss = F.cross_entropy(model(batch), batch.labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += len(batch)
        print(epoch, seen, loss.item())


if __name__ == "__main__":
    main()
