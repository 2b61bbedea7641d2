import copy

import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, z=6, out=20):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(z, 32), nn.Softplus(), nn.Linear(32, out))

    def forward(self, z):
        return self.f(z)


class LatentFit:
    """Finds the code that explains an observation (GAN inversion)."""

    def __init__(self, decoder, lr=0.1, prior=1e-3):
        self.decoder = decoder.eval().requires_grad_(False)
        self.lr, self.prior = lr, prior

    def project(self, z, radius=2.0):
        n = z.norm(dim=1, keepdim=True)
        return z * (radius / n.clamp(min=radius))

    def __call__(self, target, steps=10):
        p = next(self.decoder.parameters())
        z = torch.randn(target.size(0), 6, device=p.device, requires_grad=True)
        opt = torch.optim.Adam([z], lr=self.lr)
        best_loss, best = float("inf"), None
        for _ in range(steps):
            code = self.project(z)
            loss = (self.decoder(code) - target).pow(2).mean() + self.prior * code.pow(2).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            value = loss.item()
            if value < best_loss:
                best_loss, best = value, code.detach().clone()
        return best, best_loss


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    decoder = Decoder().to(device)
    with torch.no_grad():
        target = decoder(torch.randn(4, 6).to(device))
    code, err = LatentFit(decoder)(target)
    print(code.shape, err)


if __name__ == "__main__":
    main()
