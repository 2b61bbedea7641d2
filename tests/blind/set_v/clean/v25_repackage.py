import torch
from torch import nn


def tree_map(fn, state):
    if state is None or torch.is_tensor(state):
        return None if state is None else fn(state)
    return type(state)(tree_map(fn, s) for s in state)


class WordLM(nn.Module):
    def __init__(self, vocab=25, dim=12):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(vocab, dim), nn.LSTM(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, state):
        h, state = self.rnn(self.emb(ids), state)
        return self.out(h), state


class Unrolled(nn.Module):
    """State carried over all the steps of one sequence: one backward at the end."""

    def __init__(self, dim=5):
        super().__init__()
        self.cell = nn.GRUCell(dim, dim)

    def loss(self, seq):
        h, total = torch.zeros(seq.size(1), seq.size(2)), 0.0
        for x, nxt in zip(seq[:-1], seq[1:]):
            h = self.cell(x, h)
            total = total + (h - nxt).pow(2).mean()
        return total / (len(seq) - 1)


model = WordLM()
opt = torch.optim.SGD(model.parameters(), lr=0.5)
text = torch.randint(0, 25, (31, 4))
state = None
for i in range(0, 30, 10):
    state = tree_map(torch.Tensor.detach, state)
    logits, state = model(text[i : i + 10], state)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[i + 1 : i + 11].flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    opt.step()

net = Unrolled()
opt2 = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    total = net.loss(torch.randn(7, 4, 5))
    opt2.zero_grad()
    total.backward()
    opt2.step()

with torch.no_grad():
    word, state, said = torch.zeros(1, 1, dtype=torch.long), None, []
    for _ in range(6):
        logits, state = model(word, state)
        word = logits[-1].argmax(-1, keepdim=True)
        said.append(word.item())
print(loss.item(), total.item(), said)
