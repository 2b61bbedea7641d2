import torch
import torch.nn as nn
from torch import autograd

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Critic(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.m = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.m(x)


def gradient_penalty(critic, real, fake, weight=10.0):
    alpha = torch.rand(real.size(0), 1, device=real.device)
    mix = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mix)
    grads = autograd.grad(score, mix, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return weight * (grads.norm(2, dim=1) - 1).pow(2).mean()


G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 6)).to(device)
D = Critic(6).to(device)
opt_g = torch.optim.RMSprop(G.parameters(), lr=5e-5)
opt_d = torch.optim.RMSprop(D.parameters(), lr=5e-5)
for it in range(6):
    real = torch.randn(12, 6).to(device)
    with torch.no_grad():
        fake = G(torch.randn(12, 8, device=device))
    loss_d = D(fake).mean() - D(real).mean() + gradient_penalty(D, real, fake)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    if it % 3 == 2:
        loss_g = -D(G(torch.randn(12, 8, device=device))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
print(loss_d.item())
