import math
import torch
from torch import nn


class SinusoidTable(nn.Module):
    def __init__(self, dim, start=16):
        super().__init__()
        self.dim = dim
        self.weights = self.build(start)

    def build(self, n):
        half = self.dim // 2
        freq = torch.exp(torch.arange(half) * -(math.log(10000.0) / (half - 1)))
        ang = torch.arange(n).unsqueeze(1) * freq
        return torch.cat([ang.sin(), ang.cos()], dim=1)

    def forward(self, ids):
        n = ids.size(1)
        if n > self.weights.size(0):
            self.weights = self.build(2 * n)
        self.weights = self.weights.to(ids.device)
        return self.weights[:n].unsqueeze(0)


class Encoder(nn.Module):
    def __init__(self, vocab=60, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = SinusoidTable(dim)
        self.ff = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.ff(self.tok(ids) + self.pos(ids))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = Encoder().to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for length in (8, 16, 24, 40):
        ids = torch.randint(0, 60, (2, length)).to(device)
        loss = nn.functional.cross_entropy(net(ids).transpose(1, 2), ids)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
