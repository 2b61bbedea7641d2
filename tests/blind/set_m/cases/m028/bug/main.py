import torch
from torch import nn
from options import parse


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1).cuda()
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mixed)
    grad, = torch.autograd.grad(score.sum(), mixed, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def main():
    opt = parse()
    gen = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2)).to(opt.device)
    critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(opt.device)
    opt_g = torch.optim.Adam(gen.parameters(), lr=opt.lr, betas=(0.5, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), lr=opt.lr, betas=(0.5, 0.9))
    for epoch in range(opt.epochs):
        for _ in range(3):
            real = torch.randn(32, 2, device=opt.device) * 0.5 + 1
            with torch.no_grad():
                fake = gen(torch.randn(32, 8, device=opt.device))
            loss_c = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
        loss_g = -critic(gen(torch.randn(32, 8, device=opt.device))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        print(epoch, loss_c.item(), loss_g.item())


if __name__ == "__main__":
    main()
