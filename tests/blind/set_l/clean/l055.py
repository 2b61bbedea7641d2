from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 20
    dim: int = 24
    bptt: int = 8
    lanes: int = 4
    epochs: int = 2


def repackage(state):
    if torch.is_tensor(state):
        return state.detach()
    return tuple(repackage(s) for s in state)


class CharRNN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.rnn = nn.LSTM(cfg.dim, cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.vocab)

    def init_state(self, lanes):
        w = self.out.weight
        return w.new_zeros(1, lanes, w.size(1)), w.new_zeros(1, lanes, w.size(1))

    def forward(self, ids, state):
        h, state = self.rnn(self.embed(ids), state)
        return self.out(h), state


class Corpus:
    def __init__(self, n, cfg, device):
        ids = (torch.arange(n) * 7 + torch.randint(0, 2, (n,))) % cfg.vocab
        self.data = ids[: n // cfg.lanes * cfg.lanes].view(cfg.lanes, -1).t().contiguous().to(device)
        self.bptt = cfg.bptt

    def __iter__(self):
        for s in range(0, len(self.data) - 1, self.bptt):
            stop = min(s + self.bptt, len(self.data) - 1)
            yield self.data[s:stop], self.data[s + 1:stop + 1]


def train(cfg):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = CharRNN(cfg).to(device)
    corpus = Corpus(200, cfg, device)
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(cfg.epochs):
        state = model.init_state(cfg.lanes)
        total = n = 0
        for x, y in corpus:
            state = repackage(state)
            logits, state = model(x, state)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            opt.step()
            total += loss.item() * y.numel()
            n += y.numel()
        print(epoch, total / n)


train(Config())
