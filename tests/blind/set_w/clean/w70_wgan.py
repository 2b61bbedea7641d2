import torch
from torch import autograd, nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Generator(nn.Module):
    def __init__(self, z=6, d=10, groups=2):
        super().__init__()
        self.z, self.groups = z, groups
        self.net = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, n):
        p = next(self.parameters())
        z = torch.randn(n, self.z, device=p.device, dtype=p.dtype)
        num, cat = self.net(z).tensor_split([6], dim=1)
        return torch.cat([num.tanh(), nn.functional.gumbel_softmax(cat, tau=0.5)], 1)


class Critic(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def penalty(critic, real, fake):
    mix = torch.rand(len(real), 1, device=real.device)
    x = (mix * real + (1 - mix) * fake).requires_grad_(True)
    g, = autograd.grad(critic(x).sum(), x, create_graph=True)
    return (g.norm(dim=1) - 1).pow(2).mean()


def real_table(n):
    num = torch.randn(n, 6).tanh()
    return torch.cat([num, torch.eye(4)[torch.randint(4, (n,))]], 1)


G, D = Generator().to(device), Critic().to(device)
og = torch.optim.Adam(G.parameters(), 1e-4, betas=(0.0, 0.9))
od = torch.optim.Adam(D.parameters(), 1e-4, betas=(0.0, 0.9))
table = real_table(128)
for it in range(3):
    for _ in range(2):
        real = table[torch.randint(128, (32,))].to(device)
        with torch.no_grad():
            fake = G(32)
        loss_d = D(fake).mean() - D(real).mean() + 10 * penalty(D, real, fake)
        od.zero_grad()
        loss_d.backward()
        od.step()
    D.requires_grad_(False)
    loss_g = -D(G(32)).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    D.requires_grad_(True)
    print(it, loss_d.item(), loss_g.item())
G.eval()
with torch.no_grad():
    rows = G(5)
print(rows[:, 6:].argmax(1).tolist())
