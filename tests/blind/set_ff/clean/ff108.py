import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class CodeBook(nn.Module):
    """Vector quantiser whose codes follow moving averages instead of gradients."""

    codes: Tensor
    counts: Tensor
    sums: Tensor

    def __init__(self, size: int, dim: int, decay: float = 0.95, eps: float = 1e-5):
        super().__init__()
        codes = torch.randn(size, dim)
        self.register_buffer("codes", codes)
        self.register_buffer("counts", torch.ones(size))
        self.register_buffer("sums", codes.clone())
        self.decay, self.eps = decay, eps

    @torch.no_grad()
    def _refresh(self, flat: Tensor, ids: Tensor) -> None:
        onehot = F.one_hot(ids, self.codes.size(0)).type_as(flat)
        self.counts.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        total = self.counts.sum()
        smoothed = (self.counts + self.eps) / (total + self.eps * len(self.counts)) * total
        self.codes.copy_(self.sums / smoothed.unsqueeze(1))

    def forward(self, z: Tensor):
        flat = z.reshape(-1, z.size(-1))
        ids = torch.cdist(flat.detach(), self.codes).argmin(1)
        quantised = self.codes[ids].view_as(z)
        if self.training:
            self._refresh(flat.detach(), ids)
        commit = F.mse_loss(z, quantised)
        return z + (quantised - z).detach(), commit, ids.view(z.shape[:-1])


class VQAutoencoder(nn.Module):
    def __init__(self, channels=1, dim=8, size=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(channels, dim, 4, 2, 1), nn.ReLU(), nn.Conv1d(dim, dim, 4, 2, 1))
        self.book = CodeBook(size, dim)
        self.dec = nn.Sequential(nn.ConvTranspose1d(dim, dim, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose1d(dim, channels, 4, 2, 1))

    def forward(self, x):
        z = self.enc(x).transpose(1, 2)
        q, commit, ids = self.book(z)
        return self.dec(q.transpose(1, 2)), commit, ids


def perplexity(ids, size):
    p = torch.bincount(ids.flatten(), minlength=size).float()
    p = p / p.sum()
    return torch.exp(-(p * (p + 1e-10).log()).sum()).item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQAutoencoder().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        t = torch.linspace(0, 6, 64, device=device)
        x = torch.sin(t * (1 + torch.rand(8, 1, 1, device=device)))
        recon, commit, ids = model(x)
        loss = F.mse_loss(recon, x) + 0.25 * commit
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}", f"{perplexity(ids, 16):.2f}")


if __name__ == "__main__":
    main()
