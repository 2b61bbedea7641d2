import torch
from torch import optim

from adversarial import GANObjective
from nets import Critic, Generator


def ring(n, device):
    a = torch.rand(n, device=device) * 6.2831853
    return torch.stack([a.cos(), a.sin()], dim=1)


class Experiment:
    def __init__(self, device):
        self.device = device
        self.g = Generator().to(device)
        self.d = Critic().to(device)
        self.objective = GANObjective()
        self.opt_g = optim.Adam(self.g.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.opt_d = optim.Adam(self.d.parameters(), lr=2e-4, betas=(0.5, 0.9))

    def step(self, real):
        fake = self.g(torch.randn(real.shape[0], self.g.z, device=self.device))
        loss_d = self.objective.critic(self.d(real), self.d(fake.detach()))
        self.opt_d.zero_grad()
        loss_d.backward()
        self.opt_d.step()
        loss_g = self.objective.generator(self.d(fake))
        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()
        return loss_d.item(), loss_g.item()


if __name__ == "__main__":
    exp = Experiment(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for i in range(3):
        print(i, *exp.step(ring(16, exp.device)))
