"""Conditional hinge GAN with lazy R1."""
import torch
import torch.nn.functional as F

from nets import D, G


class GANTrainer:
    def __init__(self, device, r1=1.0, lazy=2):
        self.device = device
        self.g, self.d = G().to(device), D().to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), 1e-4, betas=(0.0, 0.9))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 4e-4, betas=(0.0, 0.9))
        self.r1, self.lazy, self.it = r1, lazy, 0

    def _fake(self, n):
        y = torch.randint(0, 3, (n,), device=self.device)
        return self.g(torch.randn(n, self.g.z, device=self.device), y), y

    def _penalty(self, x, y):
        x = x.detach().requires_grad_()
        grad, = torch.autograd.grad(self.d(x, y).sum(), x, create_graph=True)
        return grad.square().sum((1, 2, 3)).mean()

    def d_step(self, x, y):
        with torch.no_grad():
            fake, fy = self._fake(len(x))
        loss = F.relu(1 - self.d(x, y)).mean() + F.relu(1 + self.d(fake, fy)).mean()
        if self.it % self.lazy == 0:
            loss = loss + 0.5 * self.r1 * self.lazy * self._penalty(x, y)
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, n):
        self.d.requires_grad_(False)
        fake, fy = self._fake(n)
        loss = -self.d(fake, fy).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        self.d.requires_grad_(True)
        return loss.item()

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        out = self.d_step(x, y), self.g_step(len(x))
        self.it += 1
        return out


if __name__ == "__main__":
    trainer = GANTrainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(4):
        print(trainer.step(torch.rand(6, 1, 8, 8) * 2 - 1, torch.randint(0, 3, (6,))))
