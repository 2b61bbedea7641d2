from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class GanConfig:
    latent: int = 8
    dim: int = 12
    critic_steps: int = 3
    gp_weight: float = 10.0
    lr: float = 1e-4


class WGAN:
    def __init__(self, cfg, device):
        self.cfg, self.device = cfg, device
        self.generator = nn.Sequential(nn.Linear(cfg.latent, 32), nn.LeakyReLU(0.2), nn.Linear(32, cfg.dim)).to(device)
        self.critic = nn.Sequential(nn.Linear(cfg.dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(device)
        self.g_opt = torch.optim.Adam(self.generator.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
        self.c_opt = torch.optim.Adam(self.critic.parameters(), lr=cfg.lr, betas=(0.0, 0.9))

    def noise(self, n):
        return torch.randn(n, self.cfg.latent, device=self.device)

    def gradient_penalty(self, real, fake):
        mix = torch.rand(len(real), 1, device=self.device)
        between = (mix * real + (1 - mix) * fake).requires_grad_(True)
        score = self.critic(between)
        (grad,) = torch.autograd.grad(score.sum(), between, create_graph=True)
        return (grad.norm(2, dim=1) - 1).pow(2).mean()

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.generator(self.noise(len(real)))
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.cfg.gp_weight * self.gradient_penalty(real, fake)
        self.c_opt.zero_grad()
        loss.backward()
        self.c_opt.step()
        return loss.item()

    def generator_step(self, n):
        self.critic.requires_grad_(False)
        loss = -self.critic(self.generator(self.noise(n))).mean()
        self.g_opt.zero_grad()
        loss.backward()
        self.g_opt.step()
        self.critic.requires_grad_(True)
        return loss.item()

    def train(self, rounds):
        for _ in range(rounds):
            for _ in range(self.cfg.critic_steps):
                c = self.critic_step(torch.randn(16, self.cfg.dim, device=self.device) * 0.5 + 1)
            g = self.generator_step(16)
            print(f"critic {c:.3f} generator {g:.3f}")


if __name__ == "__main__":
    WGAN(GanConfig(), torch.device("cuda" if torch.cuda.is_available() else "cpu")).train(3)
