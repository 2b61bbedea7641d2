import argparse

import torch
from torch import nn

from crf import LinearChain


class Tagger(nn.Module):
    def __init__(self, vocab, n_tags, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, n_tags)
        self.crf = LinearChain(n_tags)

    def loss(self, words, tags):
        hidden, _ = self.rnn(self.emb(words))
        return self.crf(self.out(hidden), tags)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    model = Tagger(50, 5).to(args.device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        words = torch.randint(0, 50, (4, 7), device=args.device)
        tags = torch.randint(0, 5, (4, 7), device=args.device)
        loss = model.loss(words, tags)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 4))
