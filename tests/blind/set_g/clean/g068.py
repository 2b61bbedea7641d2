import torch
from torch import nn, autograd


class Critic(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.Softplus(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1, device=real.device)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    scores = critic(mixed)
    grads, = autograd.grad(scores, mixed, grad_outputs=torch.ones_like(scores), create_graph=True)
    return (grads.norm(2, dim=1) - 1).pow(2).mean()


class WGAN:
    def __init__(self, n_critic=2, gp=10.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.gen = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 4)).to(self.device)
        self.critic = Critic().to(self.device)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
        self.n_critic, self.gp = n_critic, gp

    def generate(self, n):
        return self.gen(torch.randn(n, 3, device=self.device))

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.generate(len(real))
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.gp * gradient_penalty(self.critic, real, fake)
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.item()

    def generator_step(self, n):
        self.critic.requires_grad_(False)
        loss = -self.critic(self.generate(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        self.critic.requires_grad_(True)
        return loss.item()


gan = WGAN()
for it in range(3):
    for _ in range(gan.n_critic):
        c = gan.critic_step(torch.randn(8, 4, device=gan.device) + 2)
    print(it, c, gan.generator_step(8))
