import torch
from torch import nn
import torch.nn.functional as F


class MLP(nn.Sequential):
    def __init__(self, *sizes, act=nn.ReLU, last=None):
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), act()]
        layers.pop()
        if last is not None:
            layers.append(last())
        super().__init__(*layers)


class WGAN:
    """Critic and generator with a gradient penalty."""

    def __init__(self, nz=4, dim=8, lr=1e-3, gp_weight=10.0, n_critic=2, device="cpu"):
        self.nz, self.n_critic, self.gp_weight = nz, n_critic, gp_weight
        self.device = torch.device(device)
        self.nets = {"g": MLP(nz, 16, dim).to(self.device), "d": MLP(dim, 16, 1).to(self.device)}
        self.opts = {k: torch.optim.Adam(n.parameters(), lr=lr, betas=(0.0, 0.9)) for k, n in self.nets.items()}
        self.iteration = 0

    def sample(self, n):
        return self.nets["g"](torch.randn(n, self.nz, device=self.device))

    def gradient_penalty(self, real, fake):
        eps = torch.rand(real.size(0), 1, device=real.device)
        mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
        score = self.nets["d"](mixed)
        grad, = torch.autograd.grad(score.sum(), mixed, create_graph=True)
        return ((grad.norm(2, dim=1) - 1) ** 2).mean()

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.sample(real.size(0))
        d = self.nets["d"]
        loss = d(fake).mean() - d(real).mean() + self.gp_weight * self.gradient_penalty(real, fake)
        self.opts["d"].zero_grad()
        loss.backward()
        self.opts["d"].step()
        return loss.item()

    def generator_step(self, n):
        self.nets["d"].requires_grad_(False)
        loss = -self.nets["d"](self.sample(n)).mean()
        self.opts["g"].zero_grad()
        loss.backward()
        self.opts["g"].step()
        self.nets["d"].requires_grad_(True)
        return loss.item()

    def step(self, real):
        logs = {"d": self.critic_step(real)}
        self.iteration += 1
        if self.iteration % self.n_critic == 0:
            logs["g"] = self.generator_step(real.size(0))
        return logs
