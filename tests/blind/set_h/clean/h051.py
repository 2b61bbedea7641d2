import torch
import torch.nn as nn
import torch.nn.functional as F


class G(nn.Module):
    def __init__(self, z=8, out=2):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, n):
        z = torch.randn(n, self.z, device=self.net[0].weight.device)
        return self.net(z)


class D(nn.Module):
    def __init__(self, cin=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cin, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def ring(n, device):
    a = torch.rand(n, device=device) * 2 * torch.pi
    return torch.stack([a.cos(), a.sin()], 1) * 2


class GanLoop:
    """Generator first. What its backward leaves in the critic is thrown away before the critic's own."""

    def __init__(self, device, clip=2.0):
        self.device, self.clip = device, clip
        self.g, self.d = G().to(device), D().to(device)
        self.g_opt = torch.optim.Adam(self.g.parameters(), lr=1e-3, betas=(0.0, 0.9))
        self.d_opt = torch.optim.Adam(self.d.parameters(), lr=1e-3, betas=(0.0, 0.9))

    def step(self, n=64):
        fake = self.g(n)
        g_loss = F.softplus(-self.d(fake)).mean()
        g_loss.backward()
        self.d_opt.zero_grad(set_to_none=True)
        nn.utils.clip_grad_norm_(self.g.parameters(), self.clip)
        self.g_opt.step()
        self.g_opt.zero_grad(set_to_none=True)

        d_loss = self.critic_loss(ring(n, self.device), fake.detach())
        d_loss.backward()
        nn.utils.clip_grad_norm_(self.d.parameters(), self.clip)
        self.d_opt.step()
        self.d_opt.zero_grad(set_to_none=True)
        return g_loss.detach(), d_loss.detach()

    def critic_loss(self, real, fake, gamma=0.5):
        real = real.requires_grad_()
        score = self.d(real)
        (grad,) = torch.autograd.grad(score.sum(), real, create_graph=True)
        penalty = grad.square().sum(1).mean()
        return F.softplus(-score).mean() + F.softplus(self.d(fake)).mean() + gamma * penalty


if __name__ == "__main__":
    loop = GanLoop(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    losses = [loop.step() for _ in range(8)]
    g, d = (torch.stack(column).mean().item() for column in zip(*losses))
    print(f"g {g:.3f} d {d:.3f}")
