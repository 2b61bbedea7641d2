import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "the quick brown fox jumps over the lazy dog. " * 8


class Vocab:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}

    def encode(self, s):
        return torch.tensor([self.index[c] for c in s])

    def decode(self, ids):
        return "".join(self.chars[i] for i in ids)


class StatefulGRU(nn.Module):
    def __init__(self, n, hid):
        super().__init__()
        self.emb = nn.Embedding(n, hid)
        self.cell = nn.GRU(hid, hid, batch_first=True)
        self.head = nn.Linear(hid, n)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, ids):
        y, last = self.cell(self.emb(ids), self.state)
        self.state = last.detach()
        return self.head(y)


class Runner:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.vocab = Vocab(TEXT)
        self.net = StatefulGRU(len(self.vocab.chars), args.hidden).to(self.device)
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=args.lr)
        ids = self.vocab.encode(TEXT)
        rows = len(ids) // args.batch
        self.stream = ids[:rows * args.batch].view(args.batch, rows).to(self.device)

    def windows(self):
        w = self.args.window
        for i in range(0, self.stream.size(1) - w, w):
            yield self.stream[:, i:i + w], self.stream[:, i + 1:i + w + 1]

    def train_epoch(self):
        self.net.train()
        self.net.reset()
        losses = []
        for x, y in self.windows():
            logits = self.net(x)
            loss = F.cross_entropy(logits.transpose(1, 2), y)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(self.net.parameters(), 1.0)
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def babble(self, n=20):
        self.net.eval()
        self.net.reset()
        tok = self.stream[:1, :1]
        out = []
        for _ in range(n):
            tok = torch.multinomial(self.net(tok)[:, -1].softmax(-1), 1)
            out.append(tok.item())
        return self.vocab.decode(out)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for name, default in (("hidden", 24), ("batch", 6), ("window", 10), ("epochs", 3)):
        ap.add_argument(f"--{name}", type=int, default=default)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    r = Runner(args)
    for e in range(args.epochs):
        print(e, r.train_epoch(), r.babble())
