import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.img = nn.Linear(8, dim)
        self.tok = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def losses(self, feats, words):
        h = torch.tanh(self.img(feats))
        total = 0.0
        for t in range(words.size(1) - 1):
            h = self.cell(self.tok(words[:, t]), h)
            total = total + nn.functional.cross_entropy(self.out(h), words[:, t + 1])
        return total

    @torch.no_grad
    def greedy(self, feats, steps=5):
        h = torch.tanh(self.img(feats))
        word = torch.zeros(feats.size(0), dtype=torch.long)
        words = []
        for _ in range(steps):
            h = self.cell(self.tok(word), h)
            word = self.out(h).argmax(1)
            words.append(word)
        return torch.stack(words, 1)


class grad_mode:
    """with grad_mode(flag): ... restores what was set before."""

    def __init__(self, flag):
        self.flag = flag

    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(self.flag)

    def __exit__(self, *exc):
        torch.set_grad_enabled(self.before)


def phase(net, feats, words, opt=None):
    with grad_mode(opt is not None):
        loss = net.losses(feats, words)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


net = Captioner()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
off = torch.no_grad()
for _ in range(3):
    feats, words = torch.randn(4, 8), torch.randint(0, 20, (4, 6))
    tr = phase(net, feats, words, opt)
    va = phase(net, feats, words)
    with off:
        scale = net.out(torch.zeros(1, 16)).exp().sum().item()
torch.set_grad_enabled(False)
print(tr, va, scale, net.greedy(torch.randn(2, 8)), net.img(feats).norm().item())
