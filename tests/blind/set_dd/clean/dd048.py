# word-level language model with truncated backpropagation, AWD style
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1111)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ntokens, bsz, bptt = 40, 4, 8
corpus = torch.randint(0, ntokens, (400,))


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    return data[: nbatch * bsz].view(bsz, -1).t().contiguous().to(device)


def get_batch(source, i):
    n = min(bptt, len(source) - 1 - i)
    return source[i:i + n], source[i + 1:i + 1 + n].reshape(-1)


def repackage_hidden(h):
    """Wraps hidden states in new tensors, cut from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


class LockedDropout(nn.Module):
    def forward(self, x, p=0.3):
        if not self.training:
            return x
        mask = x.new_empty(1, x.size(1), x.size(2)).bernoulli_(1 - p) / (1 - p)
        return x * mask


class RNNModel(nn.Module):
    def __init__(self, ninp=16, nhid=16, nlayers=2):
        super().__init__()
        self.encoder = nn.Embedding(ntokens, ninp)
        self.lock = LockedDropout()
        self.rnns = nn.ModuleList(nn.LSTM(ninp if l == 0 else nhid, nhid) for l in range(nlayers))
        self.decoder = nn.Linear(nhid, ntokens)

    def forward(self, ids, hidden):
        x, out = self.encoder(ids), []
        for rnn, h in zip(self.rnns, hidden):
            x, h = rnn(x, h)
            x = self.lock(x)
            out.append(h)
        return self.decoder(x.flatten(0, 1)), tuple(out), x

    def init_hidden(self, bsz):
        w = self.decoder.weight
        return tuple((w.new_zeros(1, bsz, r.hidden_size), w.new_zeros(1, bsz, r.hidden_size)) for r in self.rnns)


train_data, val_data = batchify(corpus[:320], bsz), batchify(corpus[320:], bsz)
model = RNNModel().to(device)
optimizer = torch.optim.ASGD(model.parameters(), lr=0.5)


@torch.no_grad()
def evaluate(source):
    model.eval()
    hidden, total = model.init_hidden(bsz), 0.0
    for i in range(0, len(source) - 1, bptt):
        data, targets = get_batch(source, i)
        logits, hidden, _ = model(data, hidden)
        total += len(data) * F.cross_entropy(logits, targets).item()
    return total / (len(source) - 1)


for epoch in range(2):
    model.train()
    hidden = model.init_hidden(bsz)
    for i in range(0, len(train_data) - 1, bptt):
        data, targets = get_batch(train_data, i)
        hidden = repackage_hidden(hidden)
        logits, hidden, raw = model(data, hidden)
        loss = F.cross_entropy(logits, targets)
        loss = loss + 1e-3 * (raw[1:] - raw[:-1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    print(f"| epoch {epoch} | valid {evaluate(val_data):.3f}")
