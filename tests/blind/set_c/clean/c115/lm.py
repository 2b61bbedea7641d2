from torch import nn


class LSTMLM(nn.Module):
    def __init__(self, vocab, dim=12, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, layers, dropout=0.2)
        self.out = nn.Linear(dim, vocab)
        self.out.weight = self.emb.weight
        self.layers, self.dim = layers, dim

    def init_hidden(self, batch):
        weight = next(self.parameters())
        return tuple(weight.new_zeros(self.layers, batch, self.dim) for _ in range(2))

    def forward(self, x, hidden):
        y, hidden = self.rnn(self.emb(x), hidden)
        return self.out(y), hidden
