import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=32, layers=1):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.emb = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, layers)
        self.fc = nn.Linear(hidden, vocab)

    def init_state(self, bs):
        w = self.fc.weight
        return tuple(w.new_zeros(self.layers, bs, self.hidden) for _ in range(2))

    def forward(self, x, state):
        out, state = self.lstm(self.emb(x), state)
        return self.fc(out), state


def batchify(ids, bs):
    n = len(ids) // bs
    return ids[: n * bs].view(bs, n).t().contiguous()


def chunks(source, bptt):
    for i in range(0, source.size(0) - 1, bptt):
        n = min(bptt, source.size(0) - 1 - i)
        yield source[i : i + n], source[i + 1 : i + 1 + n]


def run_epoch(model, source, criterion, optimizer, bptt=8):
    model.train()
    state = model.init_state(source.size(1))
    total, steps = 0.0, 0
    for x, y in chunks(source, bptt):
        logits, state = model(x, tuple(s.detach() for s in state))
        loss = criterion(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        total += loss.item()
        steps += 1
    return total / steps


text = "the quick brown fox jumps over the lazy dog " * 8
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
source = batchify(ids, 4).to(device)
model = CharRNN(len(chars)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
print(run_epoch(model, source, nn.CrossEntropyLoss(), opt))
