import torch
import torch.nn as nn
import torch.nn.functional as F


class SkipGram(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.center = nn.Embedding(vocab, dim, sparse=True)
        self.context = nn.Embedding(vocab, dim, sparse=True)
        self.bias = nn.Parameter(torch.zeros(vocab))
        nn.init.uniform_(self.center.weight, -0.5 / dim, 0.5 / dim)

    def forward(self, c, pos, neg):
        v = self.center(c)
        good = (v * self.context(pos)).sum(-1) + self.bias[pos]
        bad = torch.einsum("bd,bkd->bk", v, self.context(neg)) + self.bias[neg]
        return -(F.logsigmoid(good) + F.logsigmoid(-bad).sum(1)).mean()


class Pairs:
    def __init__(self, ids, window=2, negatives=4):
        self.ids, self.window, self.k = ids, window, negatives
        counts = torch.bincount(ids).float()
        self.noise = counts.pow(0.75) / counts.pow(0.75).sum()

    def __call__(self, n):
        pos = torch.randint(self.window, len(self.ids) - self.window, (n,))
        off = torch.randint(1, self.window + 1, (n,)) * (torch.randint(0, 2, (n,)) * 2 - 1)
        neg = torch.multinomial(self.noise, n * self.k, replacement=True).view(n, self.k)
        return self.ids[pos], self.ids[pos + off], neg


@torch.no_grad()
def neighbours(model, word, k=3):
    w = F.normalize(model.center.weight, dim=1)
    return (w @ w[word]).topk(k + 1).indices[1:].tolist()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ids = torch.randint(0, 25, (400,))
ids[:25] = torch.arange(25)
model, pairs = SkipGram(25, 8).to(device), Pairs(ids)
sparse = torch.optim.SparseAdam([model.center.weight, model.context.weight], lr=1e-2)
dense = torch.optim.Adam([model.bias], lr=1e-2)
for step in range(10):
    loss = model(*(t.to(device) for t in pairs(32)))
    for opt in (sparse, dense):
        opt.zero_grad()
    loss.backward()
    for opt in (sparse, dense):
        opt.step()
print(loss.item(), neighbours(model, 3))
