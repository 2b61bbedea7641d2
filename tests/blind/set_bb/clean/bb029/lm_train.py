import argparse
import math
import torch
import torch.nn as nn
from lm_model import RNNModel, repackage

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="LSTM", choices=["LSTM", "GRU"])
parser.add_argument("--bptt", type=int, default=10)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--lr", type=float, default=1.0)
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")

NTOKEN = 20
corpus = torch.randint(0, NTOKEN, (400,))


def batchify(data, bsz):
    n = data.size(0) // bsz
    return data.narrow(0, 0, n * bsz).view(bsz, -1).t().contiguous().to(device)


def get_batch(source, i):
    n = min(args.bptt, len(source) - 1 - i)
    return source[i:i + n], source[i + 1:i + 1 + n].reshape(-1)


train_data, val_data = batchify(corpus[:300], 10), batchify(corpus[300:], 5)
model = RNNModel(args.model, NTOKEN, 16).to(device)
criterion = nn.CrossEntropyLoss()


def evaluate(source):
    model.eval()
    total = 0.0
    hidden = model.init_hidden(5)
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            total += len(data) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train(lr):
    model.train()
    hidden = model.init_hidden(10)
    for i in range(0, train_data.size(0) - 1, args.bptt):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        hidden = repackage(hidden)
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-lr)


lr, best = args.lr, None
for epoch in range(2):
    train(lr)
    val = evaluate(val_data)
    if best is None or val < best:
        best = val
    else:
        lr /= 4.0
print("ppl", math.exp(best))
