import math

import torch
from torch import nn

from lm import LSTMLM
from utils import batchify, repackage


def evaluate(model, data, bptt):
    model.eval()
    total, hidden = 0.0, model.init_hidden(data.size(1))
    with torch.no_grad():
        for i in range(0, data.size(0) - 1, bptt):
            n = min(bptt, data.size(0) - 1 - i)
            logits, hidden = model(data[i : i + n], hidden)
            total += n * nn.functional.cross_entropy(logits.flatten(0, 1), data[i + 1 : i + 1 + n].flatten()).item()
    return total / (data.size(0) - 1)


def train(model, data, bptt, lr, clip=0.25):
    model.train()
    hidden = model.init_hidden(data.size(1))
    for i in range(0, data.size(0) - 1, bptt):
        n = min(bptt, data.size(0) - 1 - i)
        model.zero_grad()
        hidden = repackage(hidden)
        logits, hidden = model(data[i : i + n], hidden)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), data[i + 1 : i + 1 + n].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-lr)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = batchify(torch.randint(0, 15, (120,)), 4, device)
    model = LSTMLM(15).to(device)
    lr, best = 1.0, None
    for _ in range(2):
        train(model, data, 7, lr)
        val = evaluate(model, data, 7)
        if best is None or val < best:
            best = val
        else:
            lr /= 4
        print(val, math.exp(min(val, 20)))


if __name__ == "__main__":
    main()
