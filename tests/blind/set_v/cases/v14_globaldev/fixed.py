import numpy as np
import torch
from torch import nn

torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")


class Corpus:
    def __init__(self, n=400, vocab=32, seed=0):
        rng = np.random.default_rng(seed)
        self.tokens = rng.integers(0, vocab, n)
        self.vocab = vocab

    def batch(self, rows, length):
        starts = np.random.randint(0, len(self.tokens) - length - 1, rows)
        pick = np.stack([self.tokens[s : s + length + 1] for s in starts])
        block = torch.as_tensor(pick, device=torch.get_default_device())
        return block[:, :-1], block[:, 1:]


class CharLM(nn.Module):
    def __init__(self, vocab, dim=24, length=8):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(length, dim))
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.tok(ids) + self.pos[: ids.size(1)])
        return self.head(h)


corpus = Corpus()
model = CharLM(corpus.vocab)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(4):
    x, y = corpus.batch(6, 8)
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
