import torch
import torch.nn as nn
import torch.nn.functional as F


class EMAQuantizer(nn.Module):
    """Codebook learned by moving averages, gradient copied straight through."""

    def __init__(self, codes=16, dim=4, decay=0.95, beta=0.25):
        super().__init__()
        self.decay, self.beta = decay, beta
        self.register_buffer("codebook", torch.randn(codes, dim))
        self.register_buffer("counts", torch.ones(codes))
        self.register_buffer("sums", self.codebook.clone())

    @torch.no_grad()
    def update(self, z, onehot):
        self.counts.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(onehot.t() @ z, alpha=1 - self.decay)
        self.codebook.copy_(self.sums / self.counts.clamp(min=1e-5).unsqueeze(1))

    def forward(self, z):
        with torch.no_grad():
            index = torch.cdist(z, self.codebook).argmin(dim=1)
        q = self.codebook[index]
        if self.training:
            self.update(z.detach(), F.one_hot(index, len(self.codebook)).to(z.dtype))
        commit = self.beta * F.mse_loss(z, q)
        return z + (q - z).detach(), commit, index


class VQAE(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, 4))
        self.vq = EMAQuantizer()
        self.dec = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        z, commit, index = self.vq(self.enc(x))
        return self.dec(z), commit, index


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQAE().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        x = torch.randn(32, 12, device=device)
        recon, commit, index = model(x)
        loss = F.mse_loss(recon, x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item(), index.unique().numel())


if __name__ == "__main__":
    main()
