import torch
import torch.nn.functional as F

from config import R1Config
from nets import Discriminator, Generator


def r1_penalty(disc, real):
    real = real.detach().requires_grad_(True)
    grad, = torch.autograd.grad(disc(real).sum(), real, create_graph=True)
    return grad.square().sum(1).mean()


def main(cfg=R1Config()):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    G, D = Generator(cfg.z_dim).to(device), Discriminator().to(device)
    opt_g = torch.optim.Adam(G.parameters(), lr=cfg.lrs["g"], betas=(0.0, 0.99))
    opt_d = torch.optim.Adam(D.parameters(), lr=cfg.lrs["d"], betas=(0.0, 0.99))
    for step in range(cfg.steps):
        real = torch.randn(16, 12, device=device).mul_(0.5).add_(1.0)
        fake = G(torch.randn(16, cfg.z_dim, device=device))

        d_loss = F.softplus(D(fake.detach())).mean() + F.softplus(-D(real)).mean()
        if step % cfg.every == 0:
            d_loss += 0.5 * cfg.gamma * cfg.every * r1_penalty(D, real)
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()

        g_loss = F.softplus(-D(fake)).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        print(step, d_loss.item(), g_loss.item())


if __name__ == "__main__":
    main()
