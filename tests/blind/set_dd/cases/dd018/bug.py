"""Learned image codec with scalar quantisation of the latent."""
import torch
from torch import nn
import torch.nn.functional as F


class GDNLike(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.beta = nn.Parameter(torch.ones(ch))
        self.gamma = nn.Conv2d(ch, ch, 1, bias=False)
        nn.init.constant_(self.gamma.weight, 0.1 / ch)

    def forward(self, x):
        norm = self.gamma(x * x) + self.beta.abs()[:, None, None]
        return x * torch.rsqrt(norm.clamp(min=1e-6))


class Codec(nn.Module):
    def __init__(self, ch=8, latent=4):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, ch, 5, stride=2, padding=2), GDNLike(ch),
            nn.Conv2d(ch, latent, 5, stride=2, padding=2))
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(latent, ch, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(ch, 3, 4, stride=2, padding=1))
        self.log_scale = nn.Parameter(torch.zeros(latent))

    def quantize(self, y):
        if self.training:
            return torch.round(y)
        return torch.round(y)

    def rate(self, y_hat):
        scale = self.log_scale.exp()[None, :, None, None]
        prior = torch.distributions.Laplace(torch.zeros_like(scale), scale)
        p = prior.cdf(y_hat + 0.5) - prior.cdf(y_hat - 0.5)
        return -torch.log2(p.clamp(min=1e-9)).sum(dim=(1, 2, 3)).mean()

    def forward(self, x):
        y_hat = self.quantize(self.encoder(x))
        return self.decoder(y_hat), self.rate(y_hat)


def rd_loss(x, x_hat, bits, lmbda=0.01):
    bpp = bits / (x.shape[-1] * x.shape[-2])
    return lmbda * 255 ** 2 * F.mse_loss(x_hat, x) + bpp, bpp


def main(steps=10):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Codec().to(device).train()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        x = torch.rand(2, 3, 32, 32, device=device)
        optimizer.zero_grad()
        x_hat, bits = net(x)
        loss, bpp = rd_loss(x, x_hat, bits)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % 5 == 0:
            print(f"{step}: loss {loss.item():.3f} bpp {bpp.item():.3f}")
    return net


if __name__ == "__main__":
    main()
