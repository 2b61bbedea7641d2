import argparse

import torch
from torch import nn

from tbptt import ChunkTrainer, StatefulTagger


def chunked(ids, tags, size, device):
    for a, b in zip(ids.split(size, dim=1), tags.split(size, dim=1)):
        yield a.to(device), b.to(device)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=15)
    p.add_argument("--tags", type=int, default=4)
    p.add_argument("--chunk", type=int, default=5)
    p.add_argument("--span", type=int, default=2)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args()


def main():
    args = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = StatefulTagger(args.vocab, args.tags).to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    trainer = ChunkTrainer(model, optimizer, nn.CrossEntropyLoss(), args.span)
    ids = torch.randint(0, args.vocab, (4, 35))
    tags = ids % args.tags
    for epoch in range(args.epochs):
        values = trainer.run(chunked(ids, tags, args.chunk, device), ids.size(0))
        print(epoch, [round(v, 3) for v in values])


if __name__ == "__main__":
    main()
