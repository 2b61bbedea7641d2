import torch
from torch import nn
import torch.nn.functional as F


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


class VectorQuantizer(nn.Module):
    def __init__(self, codes=8, dim=4, beta=0.25, decay=0.9):
        super().__init__()
        self.beta, self.decay = beta, decay
        self.register_buffer("codebook", torch.randn(codes, dim))
        self.register_buffer("usage", torch.ones(codes))

    @torch.no_grad()
    def _ema(self, flat, ids):
        onehot = F.one_hot(ids, len(self.codebook)).to(flat.dtype)
        self.usage.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        mean = (onehot.t() @ flat) / onehot.sum(0).clamp(min=1).unsqueeze(1)
        hit = onehot.sum(0) > 0
        self.codebook[hit] = self.decay * self.codebook[hit] + (1 - self.decay) * mean[hit]

    def forward(self, z):
        ids = torch.cdist(z, self.codebook).argmin(-1)
        q = self.codebook[ids]
        commit = self.beta * F.mse_loss(z, q.detach())
        if self.training:
            self._ema(z, ids)
        return z + (q - z).detach(), ids, commit


class Codec(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 4), nn.Linear(4, d)
        self.vq = VectorQuantizer()

    def forward(self, x):
        q, ids, commit = self.vq(self.enc(x))
        out = RoundSTE.apply(self.dec(q) * 16) / 16
        return out, commit


if __name__ == "__main__":
    codec = Codec()
    opt = torch.optim.Adam(codec.parameters(), lr=1e-2)
    for _ in range(3):
        x = torch.randn(12, 10)
        out, commit = codec(x)
        loss = F.mse_loss(out, x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())
