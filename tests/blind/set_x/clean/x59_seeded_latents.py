"""Latent sampling that gives the same images on every device."""
from typing import Optional, Sequence

import torch
from torch import nn


def seeded_noise(shape: Sequence[int], seed: Optional[int], device, dtype=torch.float32):
    """Draws on the host so that the numbers do not depend on the accelerator."""
    generator = None
    if seed is not None:
        generator = torch.Generator(device="cpu").manual_seed(seed)
    noise = torch.randn(*shape, generator=generator, device="cpu", dtype=torch.float32)
    return noise.to(device=device, dtype=dtype)


class Generator(nn.Module):
    def __init__(self, latent=6, side=8):
        super().__init__()
        self.latent, self.side = latent, side
        self.mapping = nn.Sequential(nn.Linear(latent, 16), nn.LeakyReLU(0.2))
        self.synthesis = nn.Linear(16, side * side)
        self.noise_strength = nn.Parameter(torch.zeros(1))
        self.register_buffer("w_avg", torch.zeros(16))

    @property
    def device(self):
        return self.w_avg.device

    def forward(self, z, truncation=1.0, seed=None):
        w = self.mapping(z)
        if self.training:
            self.w_avg.copy_(w.detach().mean(0).lerp(self.w_avg, 0.99))
        w = self.w_avg.lerp(w, truncation)
        img = self.synthesis(w).view(-1, 1, self.side, self.side)
        return img + self.noise_strength * seeded_noise(img.shape, seed, img.device, img.dtype)


class SamplePage:
    def __init__(self, net: Generator, seeds: Sequence[int]):
        self.net = net
        self.z = torch.cat([seeded_noise((1, net.latent), s, net.device) for s in seeds])

    @torch.inference_mode()
    def render(self, truncation=0.7):
        self.net.eval()
        return self.net(self.z, truncation, seed=0).cpu()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Generator().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.0, 0.99))
    page = SamplePage(net, seeds=range(4))
    for _ in range(3):
        net.train()
        z = torch.randn(8, net.latent, device=device)
        loss = (net(z) - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(page.render().shape)


if __name__ == "__main__":
    main()
