"""Skip-gram training with a cached negative table, written as a small library module."""
import logging

import torch
import torch.nn.functional as F
from torch import nn

logger = logging.getLogger(__name__)


class NegativeTable:
    def __init__(self, counts, power=0.75):
        freq = torch.as_tensor(counts, dtype=torch.float) ** power
        self.probs = freq / freq.sum()

    def draw(self, n, k):
        """Returns an ``n x k`` matrix of word ids."""
        return torch.multinomial(self.probs, n * k, replacement=True).view(n, k)


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.center = nn.Parameter(torch.randn(vocab_size, dim) / dim ** 0.5)
        self.context = nn.Parameter(torch.zeros(vocab_size, dim))

    @property
    def device(self):
        return self.center.device

    def score(self, c, ctx):
        u = self.center.index_select(0, c)
        v = self.context.index_select(0, ctx.reshape(-1)).view(*ctx.shape, -1)
        return torch.einsum("bd,bkd->bk", u, v)


class SkipGramTrainer:
    def __init__(self, model, table, *, k=4, lr=0.025):
        self.model, self.table, self.k = model, table, k
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def _pairs(self, stream, window=2, batch=32):
        buf = []
        for i, w in enumerate(stream):
            for j in range(max(0, i - window), min(len(stream), i + window + 1)):
                if j != i:
                    buf.append((w, stream[j]))
            if len(buf) >= batch:
                yield torch.tensor(buf).to(self.model.device)
                buf = []

    def fit(self, stream):
        total = steps = 0
        for pairs in self._pairs(stream):
            c, pos = pairs.unbind(1)
            neg = self.table.draw(len(c), self.k).to(c.device)
            good = self.model.score(c, pos.unsqueeze(1))
            bad = self.model.score(c, neg)
            loss = -(F.logsigmoid(good).mean() + F.logsigmoid(-bad).mean())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
            steps += 1
        logger.info("mean loss %.4f", total / steps)
        return total / steps


def main():
    words = torch.randint(0, 30, (120,)).tolist()
    counts = [words.count(i) + 1 for i in range(30)]
    dev = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    trainer = SkipGramTrainer(SkipGram(30, 12).to(dev), NegativeTable(counts))
    return trainer.fit(words)


if __name__ == "__main__":
    main()
