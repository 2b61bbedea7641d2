import torch
import torch.nn as nn
import torch.nn.functional as F


class KMeansCode(nn.Module):
    """Codebook renewed from the data, not by the optimizer; a learned projection in front of it."""

    def __init__(self, dim=6, codes=10):
        super().__init__()
        self.proj = nn.Linear(dim, dim, bias=False)
        self.register_buffer("codebook", torch.randn(codes, dim))
        self.register_buffer("usage", torch.zeros(codes))
        self.scale = nn.Parameter(torch.ones(dim))
        with torch.no_grad():
            self.proj.weight.copy_(torch.eye(dim))
            self.proj.weight[0, 0] = 0.5

    def forward(self, x):
        w = self.proj.weight.clone()
        w[w.abs() < 1e-3] = 0.0
        z = F.linear(x, w) * self.scale
        idx = torch.cdist(z.detach(), self.codebook).argmin(dim=1)
        if self.training:
            self.refresh(z.detach(), idx)
        return z, F.embedding(idx, self.codebook), idx

    def refresh(self, z, idx, decay=0.9):
        self.usage *= decay
        self.usage.index_add_(0, idx, torch.ones_like(idx, dtype=z.dtype))
        for k in idx.unique().tolist():
            self.codebook[k] = decay * self.codebook[k] + (1 - decay) * z[idx == k].mean(0)


class MaxNorm:
    def __init__(self, params, limit):
        self.params, self.limit = list(params), limit

    @torch.no_grad()
    def __call__(self):
        for p in self.params:
            p.mul_((self.limit / p.norm().clamp(min=1e-6)).clamp(max=1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
vq = KMeansCode().to(device)
constrain = MaxNorm(vq.proj.parameters(), 3.0)
opt = torch.optim.Adam(vq.parameters(), lr=1e-2)
for it in range(4):
    x = torch.randn(40, 6, device=device)
    x[:, 0] += 1
    z, code, idx = vq(x)
    loss = F.mse_loss(z, code) + F.mse_loss(z, x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    constrain()
    print(it, loss.item(), idx.unique().numel())
