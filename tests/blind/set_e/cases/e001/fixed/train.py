import argparse
import time

import torch
from torch import nn

from transformer import TransformerLM


def get_batch(source, i, bptt):
    n = min(bptt, len(source) - 1 - i)
    return source[i : i + n], source[i + 1 : i + 1 + n].reshape(-1)


def train(model, data, criterion, optimizer, bptt, ntokens):
    model.train()
    total, start = 0.0, time.time()
    for i in range(0, data.size(0) - 1, bptt):
        x, y = get_batch(data, i, bptt)
        output = model(x)
        loss = criterion(output.view(-1, ntokens), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        total += loss.item()
    return total, time.time() - start


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--bptt", type=int, default=8)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ntokens = 40
    data = torch.randint(0, ntokens, (30, 4)).to(device)
    model = TransformerLM(ntokens).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)
    for epoch in range(args.epochs):
        print(epoch, *train(model, data, nn.CrossEntropyLoss(), optimizer, args.bptt, ntokens))
        scheduler.step()


if __name__ == "__main__":
    main()
