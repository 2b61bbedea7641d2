import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 12), nn.LeakyReLU(0.2))
        self.out = nn.Linear(12, 1)

    def forward(self, x, features=False):
        h = self.f(x)
        return (self.out(h), h) if features else self.out(h)


def r1(d, real):
    real = real.detach().requires_grad_()
    (grad,) = torch.autograd.grad(d(real).sum(), real, create_graph=True)
    return grad.square().sum(1).mean()


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.g = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 4)).to(self.device)
        self.d = Discriminator().to(self.device)
        self.og = torch.optim.Adam(self.g.parameters(), 1e-3, (0.0, 0.99))
        self.od = torch.optim.Adam(self.d.parameters(), 1e-3, (0.0, 0.99))
        self.it = 0

    def z(self, n):
        return torch.randn(n, 3, device=self.device)

    def d_step(self, real):
        with torch.no_grad():
            fake = self.g(self.z(len(real)))
        loss = nn.functional.softplus(self.d(fake)).mean() + nn.functional.softplus(-self.d(real)).mean()
        self.od.zero_grad()
        loss.backward()
        if self.it % 2 == 0:
            (0.5 * r1(self.d, real)).backward()
        self.od.step()
        return loss.detach()

    def g_step(self, real):
        fake = self.g(self.z(len(real)))
        score, h = self.d(fake, features=True)
        _, h_real = self.d(real, features=True)
        loss = nn.functional.softplus(-score).mean() + (h.mean(0) - h_real.mean(0).detach()).pow(2).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        return loss.detach()

    def run(self, steps):
        logs = []
        for self.it in range(steps):
            real = torch.randn(8, 4).to(self.device) + 2
            logs.append(torch.stack([self.d_step(real), self.g_step(real)]))
        return torch.stack(logs).mean(0).tolist()


if __name__ == "__main__":
    print(Trainer().run(3))
