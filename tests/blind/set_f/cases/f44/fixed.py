import argparse
import math

import torch
from torch import nn

TEXT = "the quick brown fox jumps over the lazy dog and runs away from the slow red hen " * 3


class Corpus:
    def __init__(self, text, batch):
        self.chars = sorted(set(text))
        ids = torch.tensor([self.chars.index(c) for c in text])
        n = len(ids) // batch
        self.data = ids[: n * batch].view(batch, n).t().contiguous()

    def chunks(self, bptt):
        for i in range(0, len(self.data) - 1, bptt):
            n = min(bptt, len(self.data) - 1 - i)
            yield self.data[i : i + n], self.data[i + 1 : i + 1 + n]


class CharLM(nn.Module):
    def __init__(self, vocab, width, layers):
        super().__init__()
        self.layers, self.width = layers, width
        self.emb = nn.Embedding(vocab, width)
        self.lstm = nn.LSTM(width, width, layers)
        self.out = nn.Linear(width, vocab)

    def init_state(self, batch):
        zeros = self.out.weight.new_zeros(self.layers, batch, self.width)
        return zeros, zeros.clone()

    def forward(self, x, state):
        y, state = self.lstm(self.emb(x), state)
        return self.out(y), state


def detach_state(state):
    return tuple(s.detach() for s in state)


def train(model, corpus, optimizer, bptt, clip=0.25):
    state = model.init_state(corpus.data.size(1))
    total, batches = 0.0, 0
    for x, y in corpus.chunks(bptt):
        logits, state = model(x, detach_state(state))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        batches += 1
    return math.exp(total / batches)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--bptt", type=int, default=10)
    ap.add_argument("--batch", type=int, default=4)
    args = ap.parse_args()
    corpus = Corpus(TEXT, args.batch)
    lm = CharLM(len(corpus.chars), 16, 1)
    print("ppl", train(lm, corpus, torch.optim.Adam(lm.parameters(), lr=3e-3), args.bptt))
