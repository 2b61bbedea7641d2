import torch
import torch.nn as nn
from torch import autograd


class Critic(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def gradient_penalty(critic, real, fake):
    eps = torch.rand(len(real), 1, device=real.device)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mixed)
    (grad,) = autograd.grad(score, mixed, grad_outputs=torch.ones_like(score), create_graph=True)
    return (grad.norm(2, dim=1) - 1).pow(2).mean()


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = cfg["device"]
        self.gen = nn.Sequential(nn.Linear(cfg["z"], 32), nn.ReLU(), nn.Linear(32, cfg["d"])).to(self.device)
        self.critic = Critic(cfg["d"]).to(self.device)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), 1e-3, betas=(0.0, 0.9))
        self.opt_c = torch.optim.Adam(self.critic.parameters(), 1e-3, betas=(0.0, 0.9))

    def z(self, n):
        return torch.randn(n, self.cfg["z"], device=self.device)

    def critic_step(self, real):
        fake = self.gen(self.z(len(real))).detach()
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.cfg["gp"] * gradient_penalty(self.critic, real, fake)
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.item()

    def gen_step(self, n):
        loss = -self.critic(self.gen(self.z(n))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def run(self):
        for it in range(self.cfg["iters"]):
            for _ in range(self.cfg["n_critic"]):
                c = self.critic_step(torch.randn(16, self.cfg["d"], device=self.device) * 0.5 + 1)
            print(it, c, self.gen_step(16))


Trainer(dict(z=4, d=3, gp=10.0, iters=3, n_critic=2, device="cuda" if torch.cuda.is_available() else "cpu")).run()
