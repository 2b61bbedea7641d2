import torch
import torch.nn as nn
import torch.autograd as autograd


class Critic(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).view(-1)


def gradient_penalty(critic, real, fake, weight=10.0):
    alpha = torch.rand(real.size(0), 1, device=real.device)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    grads = autograd.grad(score, mixed, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return weight * ((grads.norm(2, dim=1) - 1) ** 2).mean()


def main(iters=2, n_critic=2, z_dim=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gen = nn.Sequential(nn.Linear(z_dim, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    critic = Critic().to(device)
    opt_g = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    for it in range(iters):
        for p in critic.parameters():
            p.requires_grad = True
        for _ in range(n_critic):
            real = torch.randn(16, 2, device=device)
            fake = gen(torch.randn(16, z_dim, device=device)).detach()
            critic.zero_grad()
            d_loss = critic(fake).mean() - critic(real).mean() + gradient_penalty(critic, real, fake)
            d_loss.backward()
            opt_c.step()
        for p in critic.parameters():
            p.requires_grad = False
        gen.zero_grad()
        g_loss = -critic(gen(torch.randn(16, z_dim, device=device))).mean()
        g_loss.backward()
        opt_g.step()
        print(it, d_loss.item(), g_loss.item())


if __name__ == "__main__":
    main()
