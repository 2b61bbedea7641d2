"""WGAN-GP with a conditional critic."""
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self, data=5, classes=3):
        super().__init__()
        self.embed = nn.Embedding(classes, 8)
        self.net = nn.Sequential(nn.Linear(data + 8, 24), nn.Tanh(), nn.Linear(24, 1))

    def forward(self, x, y):
        return self.net(torch.cat([x, self.embed(y)], dim=1)).squeeze(1)


class Generator(nn.Module):
    def __init__(self, latent=4, data=5, classes=3):
        super().__init__()
        self.latent = latent
        self.embed = nn.Embedding(classes, 8)
        self.net = nn.Sequential(nn.Linear(latent + 8, 24), nn.ReLU(), nn.Linear(24, data))

    def forward(self, y):
        z = torch.randn(y.size(0), self.latent, device=y.device)
        return self.net(torch.cat([z, self.embed(y)], dim=1))


def gradient_penalty(critic, real, fake, y):
    mix = torch.rand(real.size(0), 1, device=real.device)
    point = (mix * real + (1 - mix) * fake).requires_grad_(True)
    score = critic(point, y)
    (grad,) = torch.autograd.grad(score.sum(), point, create_graph=True)
    return (grad.norm(dim=1) - 1).pow(2).mean()


def critic_step(critic, gen, opt, real, y, weight=10.0):
    with torch.no_grad():
        fake = gen(y)
    wasserstein = critic(fake, y).mean() - critic(real, y).mean()
    loss = wasserstein + weight * gradient_penalty(critic, real, fake, y)
    opt.zero_grad()
    loss.backward()
    opt.step()


def generator_step(critic, gen, opt, y):
    loss = -critic(gen(y), y).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


def main(rounds=3, n_critic=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    critic, gen = Critic().to(device), Generator().to(device)
    c_opt = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    g_opt = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
    for _ in range(rounds):
        y = torch.randint(0, 3, (12,), device=device)
        for _ in range(n_critic):
            real = torch.randn(12, 5, device=device) + y.unsqueeze(1)
            critic_step(critic, gen, c_opt, real, y)
        generator_step(critic, gen, g_opt, y)


if __name__ == "__main__":
    main()
