import math

import torch
from torch import nn


def detach_state(state):
    if state is None:
        return None
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(detach_state(s) for s in state)


class Corpus:
    def __init__(self, tokens, batch, device):
        usable = tokens.numel() // batch * batch
        self.data = tokens[:usable].view(batch, -1).t().contiguous().to(device)

    def chunks(self, bptt):
        for i in range(0, self.data.size(0) - 1, bptt):
            n = min(bptt, self.data.size(0) - 1 - i)
            yield self.data[i:i + n], self.data[i + 1:i + 1 + n]


class WordLM(nn.Module):
    def __init__(self, vocab, dim=20, layers=2):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, layers, dropout=0.1)
        self.dec = nn.Linear(dim, vocab)
        self.layers, self.dim = layers, dim

    def init_state(self, batch):
        w = self.dec.weight
        return w.new_zeros(self.layers, batch, self.dim), w.new_zeros(self.layers, batch, self.dim)

    def forward(self, ids, state):
        out, state = self.rnn(self.drop(self.emb(ids)), state)
        return self.dec(self.drop(out)), state


def run(model, corpus, bptt, optimizer=None, clip=0.25):
    training = optimizer is not None
    model.train(training)
    state = model.init_state(corpus.data.size(1))
    total, count = 0.0, 0
    with torch.set_grad_enabled(training):
        for x, y in corpus.chunks(bptt):
            state = detach_state(state)
            logits, state = model(x, state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
            if training:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
    return math.exp(total / count)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vocab = 40
    train = Corpus(torch.randint(0, vocab, (400,)), 8, device)
    valid = Corpus(torch.randint(0, vocab, (160,)), 8, device)
    model = WordLM(vocab).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    best = None
    for epoch in range(3):
        ppl = run(model, train, 10, optimizer)
        val = run(model, valid, 10)
        if best is not None and val > best:
            for group in optimizer.param_groups:
                group["lr"] /= 4
        best = val if best is None else min(best, val)
        print(epoch, f"{ppl:.1f} {val:.1f}")


if __name__ == "__main__":
    main()
