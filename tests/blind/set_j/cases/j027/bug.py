import argparse

import torch
import torch.nn as nn


class ConsistencyNet(nn.Module):
    def __init__(self, c=1):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(c + 1, 8, 3, padding=1), nn.SiLU(), nn.Conv2d(8, c, 3, padding=1))

    def forward(self, x, sigma):
        s = sigma.log().view(-1, 1, 1, 1).expand(-1, 1, *x.shape[2:])
        return self.conv(torch.cat([x, s], 1))


def karras_sigmas(n, lo=0.02, hi=10.0, rho=7.0, device=None):
    ramp = torch.linspace(0, 1, n, device=device)
    return (hi ** (1 / rho) + ramp * (lo ** (1 / rho) - hi ** (1 / rho))) ** rho


@torch.no_grad()
def sample(model, shape, steps, generator, device):
    sigmas = karras_sigmas(steps, device=device)
    x = torch.randn(shape, generator=generator, device=device) * sigmas[0]
    for s, s_next in zip(sigmas[:-1], sigmas[1:]):
        denoised = model(x, s.expand(shape[0]))
        noise = torch.randn(shape, generator=generator, device=device)
        x = denoised + s_next * noise
    return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--n", type=int, default=4)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ConsistencyNet().to(device).eval()
    generator = torch.Generator().manual_seed(args.seed)
    images = sample(model, (args.n, 1, 8, 8), 4, generator, device)
    grid = images.clamp(-1, 1).add(1).div(2).cpu().permute(0, 2, 3, 1).numpy()
    print(grid.shape, grid.mean())


if __name__ == "__main__":
    main()
