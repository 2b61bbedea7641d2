import torch
import torch.nn.functional as F
from torch import nn


class VectorQuantizer(nn.Module):
    def __init__(self, n_codes=16, dim=6, beta=0.25):
        super().__init__()
        self.codebook = nn.Embedding(n_codes, dim)
        nn.init.uniform_(self.codebook.weight, -1 / n_codes, 1 / n_codes)
        self.beta = beta

    def forward(self, z):
        dist = torch.cdist(z, self.codebook.weight)
        idx = dist.argmin(dim=-1)
        quant = self.codebook(idx)
        loss = F.mse_loss(quant, z.detach()) + self.beta * F.mse_loss(z, quant.detach())
        quant = z + (quant - z).detach()
        return quant, loss, idx


class LearnedStep(nn.Module):
    """Learned step size quantisation (LSQ)."""

    def __init__(self, bits=4):
        super().__init__()
        self.q = 2 ** (bits - 1) - 1
        self.step = nn.Parameter(torch.tensor(0.1))

    @staticmethod
    def round_pass(x):
        return x + (x.round() - x).detach()

    @staticmethod
    def grad_scale(x, scale):
        y = x * scale
        return (x - y).detach() + y

    def forward(self, x):
        s = self.grad_scale(self.step, (x.numel() * self.q) ** -0.5)
        return self.round_pass((x / s).clamp(-self.q - 1, self.q)) * s


class VQVAE(nn.Module):
    def __init__(self, dim=20, z=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, z))
        self.vq, self.lsq = VectorQuantizer(dim=z), LearnedStep()
        self.dec = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        q, vq_loss, idx = self.vq(self.lsq(self.enc(x)))
        return self.dec(q), vq_loss, idx


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = VQVAE().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(32, 20, device=device)
    recon, vq_loss, idx = net(x)
    loss = F.mse_loss(recon, x) + vq_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
usage = torch.bincount(idx, minlength=16).float()
perplexity = torch.exp(-(usage / usage.sum() * torch.log(usage / usage.sum() + 1e-10)).sum())
print(loss.item(), perplexity.item(), net.lsq.step.grad.item())
