import argparse
import math

import torch
import torch.nn.functional as F

from corpus import Corpus
from lm import StatefulLM


def parse_args():
    parser = argparse.ArgumentParser(description="word language model")
    parser.add_argument("--bptt", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--clip", type=float, default=0.25)
    parser.add_argument("--lr", type=float, default=0.5)
    return parser.parse_args()


@torch.no_grad()
def evaluate(model, data, args):
    model.eval()
    model.reset()
    losses = [F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item()
              for x, y in Corpus.segments(data, args.bptt)]
    return sum(losses) / len(losses)


def train(model, data, optimizer, args):
    model.train()
    model.reset()
    for i, (x, y) in enumerate(Corpus.segments(data, args.bptt)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        if i % 5 == 0:
            print(f"segment {i} ppl {math.exp(loss.item()):.1f}")


def main():
    args = parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    corpus = Corpus()
    data = corpus.batchify(args.batch_size).to(device)
    model = StatefulLM(corpus.vocab).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        train(model, data, optimizer, args)
        print("valid", evaluate(model, data, args))


if __name__ == "__main__":
    main()
