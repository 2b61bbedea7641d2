import torch
import torch.nn as nn
import torch.nn.functional as F


class EMAQuantizer(nn.Module):
    def __init__(self, n_codes, dim, decay=0.95, beta=0.25, eps=1e-5):
        super().__init__()
        self.n_codes, self.decay, self.beta, self.eps = n_codes, decay, beta, eps
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n_codes))
        self.register_buffer("embed_sum", embed.clone())

    def lookup(self, idx):
        return F.embedding(idx, self.embed)

    @torch.no_grad()
    def _update(self, flat, idx):
        onehot = F.one_hot(idx, self.n_codes).type_as(flat)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_sum.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.n_codes * self.eps) * n
        self.embed.copy_(self.embed_sum / size.unsqueeze(1))

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        idx = torch.cdist(flat.detach(), self.embed).argmin(dim=1)
        q = self.lookup(idx).view_as(z)
        if self.training:
            self._update(flat, idx)
        commit = self.beta * F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        usage = torch.bincount(idx, minlength=self.n_codes).float() / idx.numel()
        perplexity = torch.exp(-(usage * (usage + 1e-10).log()).sum())
        return q, commit, perplexity


class VQVAE(nn.Module):
    def __init__(self, d_in=12, dim=4, n_codes=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, 32), nn.ReLU(), nn.Linear(32, dim))
        self.vq = EMAQuantizer(n_codes, dim)
        self.dec = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, d_in))

    def forward(self, x):
        q, commit, ppl = self.vq(self.enc(x))
        return self.dec(q), commit, ppl


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQVAE().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    data = torch.randn(256, 3) @ torch.randn(3, 12)
    for step in range(30):
        x = data[torch.randint(0, 256, (64,))].to(device)
        recon, commit, ppl = model(x)
        loss = F.mse_loss(recon, x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            print(f"{step:3d} loss {loss.item():.3f} perplexity {ppl.item():.2f}")
    assert model.enc[0].weight.grad.abs().sum() > 0


if __name__ == "__main__":
    main()
