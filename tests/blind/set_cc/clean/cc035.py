from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class EulerOutput:
    sample: torch.Tensor
    denoised: torch.Tensor


class EulerScheduler:
    """Sigmas stay in host memory, one step reads single entries of them only."""

    def __init__(self, sigma_min=0.02, sigma_max=10.0, rho=7.0):
        self.sigma_min, self.sigma_max, self.rho = sigma_min, sigma_max, rho
        self.sigmas = None

    def set_timesteps(self, n):
        ramp = torch.linspace(0, 1, n)
        low, high = self.sigma_min ** (1 / self.rho), self.sigma_max ** (1 / self.rho)
        sigmas = (high + ramp * (low - high)) ** self.rho
        self.sigmas = torch.cat([sigmas, torch.zeros(1)])

    @property
    def init_noise_sigma(self):
        return self.sigmas[0]

    def scale_input(self, sample, i):
        return sample / (self.sigmas[i] ** 2 + 1).sqrt()

    def step(self, eps, i, sample):
        sigma, nxt = self.sigmas[i], self.sigmas[i + 1]
        denoised = sample - sigma * eps
        return EulerOutput(sample + (nxt - sigma) * eps, denoised)


class Net(nn.Module):
    def __init__(self, channels=2, width=12):
        super().__init__()
        self.a = nn.Conv2d(channels + 1, width, 3, padding=1)
        self.b = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, x, sigma):
        plane = torch.zeros_like(x[:, :1]) + sigma.log()
        return self.b(torch.nn.functional.silu(self.a(torch.cat([x, plane], dim=1))))


class Pipeline:
    def __init__(self, net, scheduler):
        self.net, self.scheduler = net, scheduler

    def to(self, device):
        self.net.to(device)
        return self

    @property
    def device(self):
        return next(self.net.parameters()).device

    @torch.no_grad()
    def __call__(self, n, steps):
        self.scheduler.set_timesteps(steps)
        x = torch.randn(n, 2, 6, 6, device=self.device) * self.scheduler.init_noise_sigma
        for i in range(steps):
            eps = self.net(self.scheduler.scale_input(x, i), self.scheduler.sigmas[i])
            out = self.scheduler.step(eps, i, x)
            x = out.sample
        return out.denoised.clamp(-1, 1)


if __name__ == "__main__":
    pipe = Pipeline(Net(), EulerScheduler())
    pipe.to("cuda" if torch.cuda.is_available() else "cpu")
    print(pipe(3, 6).shape)
