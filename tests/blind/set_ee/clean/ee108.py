import math

import torch
import torch.nn as nn

CORPUS = "the quick brown fox jumps over the lazy dog and runs away from the slow bear " * 12


class Vocabulary:
    def __init__(self, text):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text])

    def __len__(self):
        return len(self.itos)


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp=16, nhid=32, nlayers=2, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, nhid, nlayers, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        self.nhid, self.nlayers = nhid, nlayers

    def forward(self, ids, hidden):
        out, hidden = self.rnn(self.drop(self.encoder(ids)), hidden)
        return self.decoder(self.drop(out)), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        return (weight.new_zeros(self.nlayers, bsz, self.nhid),
                weight.new_zeros(self.nlayers, bsz, self.nhid))


def batchify(data, bsz, device):
    n = data.size(0) // bsz
    return data[: n * bsz].view(bsz, -1).t().contiguous().to(device)


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def get_batch(source, i, bptt):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].view(-1)


def train(model, data, criterion, ntokens, lr, bptt=20, clip=0.25):
    model.train()
    total = 0.0
    hidden = model.init_hidden(data.size(1))
    for batch, i in enumerate(range(0, data.size(0) - 1, bptt)):
        x, targets = get_batch(data, i, bptt)
        model.zero_grad()
        hidden = repackage_hidden(hidden)
        output, hidden = model(x, hidden)
        loss = criterion(output.view(-1, ntokens), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-lr)
        total += loss.item()
    return total / (batch + 1)


def evaluate(model, data, criterion, ntokens, bptt=20):
    model.eval()
    total = 0.0
    hidden = model.init_hidden(data.size(1))
    with torch.no_grad():
        for i in range(0, data.size(0) - 1, bptt):
            x, targets = get_batch(data, i, bptt)
            output, hidden = model(x, hidden)
            total += len(x) * criterion(output.view(-1, ntokens), targets).item()
    return total / (len(data) - 1)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vocab = Vocabulary(CORPUS)
    stream = vocab.encode(CORPUS)
    split = int(0.9 * len(stream))
    train_data = batchify(stream[:split], 6, device)
    val_data = batchify(stream[split:], 2, device)
    net = RNNModel(len(vocab)).to(device)
    loss_fn = nn.CrossEntropyLoss()
    lr, best = 2.0, None
    for epoch in range(2):
        train(net, train_data, loss_fn, len(vocab), lr)
        val = evaluate(net, val_data, loss_fn, len(vocab))
        print(f"epoch {epoch} ppl {math.exp(val):.2f}")
        if best is None or val < best:
            best = val
        else:
            lr /= 4.0
