from dataclasses import asdict

import torch

from gan.config import Cfg
from gan.nets import build
from gan.objectives import critic_loss, generator_loss


class GanTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
        self.gen, self.critic = (m.to(self.device) for m in build(cfg))
        self.opt_g, self.opt_d = (
            torch.optim.Adam(m.parameters(), **asdict(cfg.optim)) for m in (self.gen, self.critic)
        )

    def sample(self, n):
        return self.gen(torch.randn(n, self.cfg.z, device=self.device))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.sample(len(real))
        loss = critic_loss(self.critic, real, fake, self.cfg.gp)
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def generator_step(self, n):
        self.critic.requires_grad_(False)
        loss = generator_loss(self.critic, self.sample(n))
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        self.critic.requires_grad_(True)
        return loss.item()

    def fit(self, batches):
        for i, real in enumerate(batches):
            d = self.critic_step(real.to(self.device))
            if (i + 1) % self.cfg.critic_steps == 0:
                g = self.generator_step(len(real))
                print(f"{i}: critic {d:.3f} generator {g:.3f}")


ring = torch.arange(64) * (2 * torch.pi / 64)
points = torch.stack([ring.cos(), ring.sin()], dim=1)
GanTrainer(Cfg()).fit(points[torch.randperm(64)].split(16))
