import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
text = "the quick brown fox jumps over the lazy dog " * 20
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.emb = nn.Embedding(vocab, 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def init_hidden(self, batch):
        return self.out.weight.new_zeros(1, batch, self.hidden)

    def forward(self, x, h):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h


def batchify(data, bsz):
    n = data.numel() // bsz
    return data[:n * bsz].view(bsz, n).to(device)


def train(bptt=16, epochs=2, bsz=4):
    model = CharRNN(len(chars)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    source = batchify(data, bsz)
    for epoch in range(epochs):
        hidden = model.init_hidden(bsz)
        losses = []
        for i in range(0, source.size(1) - bptt - 1, bptt):
            x, y = source[:, i:i + bptt], source[:, i + 1:i + bptt + 1]
            logits, hidden = model(x, hidden)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(epoch, sum(losses) / len(losses))


train()
