import torch
from torch import nn


def penalty(critic, real, fake, center=1.0):
    eps = torch.rand(real.size(0), *[1] * (real.dim() - 1), device=real.device)
    mix = (eps * real + (1 - eps) * fake).detach().requires_grad_(True)
    score = critic(mix)
    grad, = torch.autograd.grad(score, mix, grad_outputs=torch.ones_like(score), create_graph=True)
    return (grad.flatten(1).norm(dim=1) - center).square().mean()


class Wasserstein:
    def __init__(self, gen, critic, device, lam=10.0):
        self.gen, self.critic, self.lam, self.device = gen.to(device), critic.to(device), lam, device
        self.og = torch.optim.Adam(gen.parameters(), 1e-4, betas=(0.0, 0.9))
        self.oc = torch.optim.Adam(critic.parameters(), 1e-4, betas=(0.0, 0.9))

    def noise(self, n):
        return torch.randn(n, 4, device=self.device)

    def critic_step(self, real):
        fake = self.gen(self.noise(len(real))).detach()
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.lam * penalty(self.critic, real, fake)
        self.oc.zero_grad(set_to_none=True)
        loss.backward()
        self.oc.step()

    def gen_step(self, n):
        loss = -self.critic(self.gen(self.noise(n))).mean()
        self.og.zero_grad(set_to_none=True)
        loss.backward()
        self.og.step()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = Wasserstein(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)),
                nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1)), device)
for _ in range(3):
    w.critic_step(torch.randn(12, 2, device=device))
    w.gen_step(12)
