import torch
import torch.nn.functional as F
from torch import nn


class VectorQuantizer(nn.Module):
    def __init__(self, codes, dim, decay=0.9, eps=1e-5, commitment=0.25):
        super().__init__()
        self.decay, self.eps, self.commitment = decay, eps, commitment
        book = torch.randn(codes, dim)
        self.register_buffer("book", book)
        self.register_buffer("size", torch.ones(codes))
        self.register_buffer("total", book.clone())

    @torch.no_grad()
    def _update(self, flat, ids):
        onehot = F.one_hot(ids, len(self.book)).type_as(flat)
        self.size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(onehot.T @ flat, alpha=1 - self.decay)
        n = self.size.sum()
        size = (self.size + self.eps) / (n + len(self.book) * self.eps) * n
        self.book.copy_(self.total / size.unsqueeze(1))

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        ids = torch.cdist(flat.detach(), self.book).argmin(1)
        q = F.embedding(ids, self.book).view_as(z)
        if self.training:
            self._update(flat.detach(), ids)
        loss = self.commitment * F.mse_loss(z, q)
        return z + (q - z).detach(), loss, ids.view(z.shape[:-1])
