import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
critic = nn.Sequential(nn.Linear(6, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)).to(device)
gen = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 6)).to(device)
opt_c = torch.optim.Adam(critic.parameters(), 1e-4, betas=(0.0, 0.9))
opt_g = torch.optim.Adam(gen.parameters(), 1e-4, betas=(0.0, 0.9))


def toggle(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


def penalty(real, fake):
    eps = real.new_empty(real.size(0), 1).uniform_()
    x = torch.lerp(fake, real, eps).requires_grad_()
    (g,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return ((g.norm(dim=1) - 1) ** 2).mean()


for step in range(9):
    toggle(critic, True)
    real = torch.randn(16, 6, device=device) + 1
    with torch.no_grad():
        fake = gen(torch.randn(16, 4, device=device))
    loss_c = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    if step % 3 == 2:
        toggle(critic, False)
        loss_g = -critic(gen(torch.randn(16, 4, device=device))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
print(loss_c.item(), loss_g.item())
