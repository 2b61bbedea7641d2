"""Stochastic sampler whose noise levels stay on the host, one number at a time."""
import torch
from torch import nn


class Precond(nn.Module):
    def __init__(self, net, sigma_data=0.5):
        super().__init__()
        self.net, self.sigma_data = net, sigma_data

    def forward(self, x, sigma):
        sd = self.sigma_data
        c_skip = sd ** 2 / (sigma ** 2 + sd ** 2)
        c_out = sigma * sd / (sigma ** 2 + sd ** 2).sqrt()
        c_in = 1 / (sigma ** 2 + sd ** 2).sqrt()
        return c_skip * x + c_out * self.net(c_in * x)


def karras(n, lo=0.02, hi=5.0, rho=7.0):
    ramp = torch.linspace(0, 1, n)
    sigmas = (hi ** (1 / rho) + ramp * (lo ** (1 / rho) - hi ** (1 / rho))) ** rho
    return torch.cat([sigmas, torch.zeros(1)])


@torch.no_grad()
def heun(model, latents, steps=5, churn=0.3):
    sigmas = karras(steps)
    x = latents * sigmas[0]
    for i in range(steps):
        now, nxt = sigmas[i], sigmas[i + 1]
        hat = now * (1 + churn)
        x = x + (hat ** 2 - now ** 2).sqrt() * torch.randn_like(x)
        d = (x - model(x, hat)) / hat
        step = x + (nxt - hat) * d
        if nxt > 0:
            d2 = (step - model(step, nxt)) / nxt
            step = x + (nxt - hat) * 0.5 * (d + d2)
        x = step
    return x


def seeded(seeds, dim, device):
    rows = []
    for s in seeds:
        gen = torch.Generator().manual_seed(s)
        rows.append(torch.randn(dim, generator=gen))
    return torch.stack(rows).to(device)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Precond(nn.Sequential(nn.Linear(4, 16), nn.SiLU(), nn.Linear(16, 4))).to(device).eval()
    out = heun(model, seeded([1, 2, 3], 4, device))
    print(out.shape, out.cpu().numpy().std())
