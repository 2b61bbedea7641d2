import torch
import torch.nn as nn


def repackage_hidden(h):
    """Wraps hidden states in new tensors, to cut them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


class CharLM(nn.Module):
    def __init__(self, vocab=30, emb=16, hid=32, layers=2):
        super().__init__()
        self.layers, self.hid = layers, hid
        self.embed = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hid, layers, dropout=0.1)
        self.decoder = nn.Linear(hid, vocab)

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        return (weight.new_zeros(self.layers, bsz, self.hid), weight.new_zeros(self.layers, bsz, self.hid))

    def forward(self, tokens, hidden):
        out, hidden = self.rnn(self.embed(tokens), hidden)
        return self.decoder(out).flatten(0, 1), hidden


def batchify(data, bsz, device):
    nbatch = data.size(0) // bsz
    return data[: nbatch * bsz].view(bsz, -1).t().contiguous().to(device)


def get_batch(source, i, bptt):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].reshape(-1)


def train_epoch(model, source, opt, criterion, bptt=12):
    model.train()
    total_loss = 0.0
    hidden = model.init_hidden(source.size(1))
    for i in range(0, source.size(0) - 1, bptt):
        x, y = get_batch(source, i, bptt)
        hidden = repackage_hidden(hidden)
        model.zero_grad()
        output, hidden = model(x, hidden)
        loss = criterion(output, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        total_loss += loss.detach() * len(x)
    return (total_loss / len(source)).item()


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
corpus = batchify(torch.randint(0, 30, (600,)), 8, device)
model = CharLM().to(device)
opt = torch.optim.SGD(model.parameters(), lr=1.0)
for epoch in range(2):
    print(train_epoch(model, corpus, opt, nn.CrossEntropyLoss()))
