import argparse

import torch
from torch import nn

from model import StackedGRU


def batchify(data, n):
    data = data[: len(data) // n * n]
    return data.view(n, -1).t().contiguous()


def chunks(data, seq):
    for i in range(0, data.size(0) - 1 - seq, seq):
        yield data[i : i + seq], data[i + 1 : i + 1 + seq]


def train(model, data, optimizer, seq, clip=0.25):
    model.train()
    total, count = 0.0, 0
    hidden = model.init_hidden(data.size(1))
    for x, y in chunks(data, seq):
        optimizer.zero_grad()
        logits, hidden = model(x, hidden)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        count += 1
    return total / count


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seq", type=int, default=35)
    parser.add_argument("--batch", type=int, default=4)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = batchify(torch.randint(0, 30, (200,)), args.batch).to(device)
    model = StackedGRU(30).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    print(train(model, data, optimizer, args.seq))
