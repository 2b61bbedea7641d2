import torch
import torch.nn as nn
import torch.autograd as autograd

cuda = torch.cuda.is_available()
device = torch.device("cuda:0" if cuda else "cpu")
LAMBDA, N_CRITIC, Z = 10, 2, 4

gen = nn.Sequential(nn.Linear(Z, 32), nn.ReLU(True), nn.Linear(32, 2)).to(device)
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(device)
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))


def eight_gaussians(n):
    k = torch.randint(0, 8, (n,)) * (torch.pi / 4)
    return torch.stack([k.cos(), k.sin()], dim=1) * 2 + torch.randn(n, 2) * 0.02


def noise(n):
    return torch.randn(n, Z, device=device)


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1, device=real.device)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mix)
    grad, = autograd.grad(score, mix, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True)
    return LAMBDA * ((grad.norm(2, dim=1) - 1) ** 2).mean()


def critic_round(real):
    with torch.no_grad():
        fake = gen(noise(real.size(0)))
    wdist = critic(real).mean() - critic(fake).mean()
    loss = gradient_penalty(real, fake) - wdist
    opt_c.zero_grad()
    loss.backward()
    opt_c.step()
    return wdist.item()


def generator_round(n):
    for p in critic.parameters():
        p.requires_grad = False
    opt_g.zero_grad()
    (-critic(gen(noise(n))).mean()).backward()
    opt_g.step()
    for p in critic.parameters():
        p.requires_grad = True


trace = []
for it in range(6):
    for _ in range(N_CRITIC):
        w = critic_round(eight_gaussians(64).to(device))
    generator_round(64)
    trace.append(w)
print(trace)
