import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizer(nn.Module):
    def __init__(self, size, dim, decay=0.95):
        super().__init__()
        self.decay = decay
        codes = torch.randn(size, dim)
        self.register_buffer("codes", codes)
        self.register_buffer("hits", torch.ones(size))
        self.register_buffer("sums", codes.clone())

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        idx = torch.cdist(flat.detach(), self.codes).argmin(1)
        q = self.codes[idx].view_as(z)
        if self.training:
            self._update(flat.detach(), idx)
        commit = F.mse_loss(z, q)
        return z + (q - z).detach(), commit, idx

    @torch.no_grad()
    def _update(self, flat, idx):
        hot = F.one_hot(idx, self.codes.size(0)).to(flat.dtype)
        self.hits.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(hot.t() @ flat, alpha=1 - self.decay)
        self.codes.copy_(self.sums / self.hits.clamp_min(1e-3)[:, None])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(20, 6)
        self.vq = VectorQuantizer(12, 6)
        self.dec = nn.Linear(6, 20)

    def forward(self, x):
        q, commit, idx = self.vq(self.enc(x))
        return self.dec(q), commit, idx


device = "cuda" if torch.cuda.is_available() else "cpu"
model = Model().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
usage = torch.zeros(12, dtype=torch.long)
for it in range(5):
    x = torch.randn(32, 20).to(device)
    rec, commit, idx = model(x)
    loss = F.mse_loss(rec, x) + 0.25 * commit
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    usage += torch.bincount(idx, minlength=12).cpu()
print(usage.tolist())
