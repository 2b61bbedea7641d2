import torch
import torch.nn as nn

torch.manual_seed(0)


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=32, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.emb = nn.Embedding(vocab, hidden)
        self.rnn = nn.LSTM(hidden, hidden, layers, dropout=0.1)
        self.out = nn.Linear(hidden, vocab)

    def init_hidden(self, bsz):
        w = next(self.parameters())
        return w.new_zeros(self.layers, bsz, self.hidden), w.new_zeros(self.layers, bsz, self.hidden)

    def forward(self, x, state):
        y, state = self.rnn(self.emb(x), state)
        return self.out(y), state


def repackage(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


def batchify(data, bsz, device):
    n = data.size(0) // bsz
    return data.narrow(0, 0, n * bsz).view(bsz, -1).t().contiguous().to(device)


def windows(source, bptt=12):
    for i in range(0, source.size(0) - 1, bptt):
        n = min(bptt, source.size(0) - 1 - i)
        yield source[i:i + n], source[i + 1:i + 1 + n].reshape(-1)


def evaluate(model, source):
    model.eval()
    total = 0.0
    hidden = model.init_hidden(source.size(1))
    with torch.no_grad():
        for x, y in windows(source):
            out, hidden = model(x, hidden)
            total += len(x) * nn.functional.cross_entropy(out.flatten(0, 1), y).item()
    return total / (len(source) - 1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    text = "the quick brown fox jumps over the lazy dog " * 20
    stoi = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([stoi[c] for c in text])
    train, val = batchify(ids[:700], 8, device), batchify(ids[700:], 4, device)
    model = CharRNN(len(stoi)).to(device)
    lr, best = 2.0, None
    for epoch in range(2):
        model.train()
        hidden = model.init_hidden(train.size(1))
        for x, y in windows(train):
            model.zero_grad()
            hidden = repackage(hidden)
            out, hidden = model(x, hidden)
            loss = nn.functional.cross_entropy(out.flatten(0, 1), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            with torch.no_grad():
                for p in model.parameters():
                    p.add_(p.grad, alpha=-lr)
        v = evaluate(model, val)
        if best is None or v < best:
            best = v
        else:
            lr /= 4
        print(epoch, v)


if __name__ == "__main__":
    main()
