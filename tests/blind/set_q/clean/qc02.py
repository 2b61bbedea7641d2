import torch
import torch.nn as nn


def hinge(d, real, fake):
    return torch.relu(1 - d(real)).mean() + torch.relu(1 + d(fake)).mean()


class UnrolledGAN:
    """The generator sees k future updates of the critic, the critic keeps only the first."""

    def __init__(self, device, k=3):
        self.device, self.k = device, k
        self.g = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
        self.d = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
        self.og = torch.optim.Adam(self.g.parameters(), lr=1e-3)
        self.od = torch.optim.SGD(self.d.parameters(), lr=5e-2)

    def d_functional(self, params):
        def f(x):
            return torch.func.functional_call(self.d, params, (x,))
        return f

    def noise(self, n):
        return torch.randn(n, 4, device=self.device)

    def d_step(self, real):
        with torch.no_grad():
            fake = self.g(self.noise(len(real)))
        loss = hinge(self.d, real, fake)
        self.od.zero_grad()
        loss.backward()
        self.od.step()
        return loss.detach()

    def g_step(self, real):
        fake = self.g(self.noise(len(real)))
        params = {k: v.detach().clone().requires_grad_() for k, v in self.d.named_parameters()}
        for _ in range(self.k):
            loss = hinge(self.d_functional(params), real, fake)
            grads = torch.autograd.grad(loss, params.values(), create_graph=True)
            params = {n: p - 5e-2 * g for (n, p), g in zip(params.items(), grads)}
        g_loss = -self.d_functional(params)(fake).mean()
        self.og.zero_grad()
        g_loss.backward()
        self.og.step()
        return g_loss.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gan = UnrolledGAN(device)
    centers = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    for it in range(8):
        real = (centers[torch.randint(3, (48,))] + 0.05 * torch.randn(48, 2)).to(device)
        d, g = gan.d_step(real), gan.g_step(real)
    print(d.item(), g.item())


main()
