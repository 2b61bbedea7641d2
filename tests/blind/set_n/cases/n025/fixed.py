import torch
from torch import nn


class GANTrainer:
    def __init__(self, z_dim=8, x_dim=2, hidden=32, lr=2e-4):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.z_dim = z_dim
        self.G = nn.Sequential(nn.Linear(z_dim, hidden), nn.ReLU(), nn.Linear(hidden, x_dim)).to(self.device)
        self.D = nn.Sequential(nn.Linear(x_dim, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, 1)).to(self.device)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=lr, betas=(0.5, 0.999))
        self.bce = nn.BCEWithLogitsLoss()

    def labels(self, like, value):
        return torch.full_like(like, value)

    def discriminator_step(self, real, fake):
        self.opt_d.zero_grad()
        pr, pf = self.D(real), self.D(fake.detach())
        loss = self.bce(pr, self.labels(pr, 1.0)) + self.bce(pf, self.labels(pf, 0.0))
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def generator_step(self, fake):
        self.opt_g.zero_grad()
        pf = self.D(fake)
        loss = self.bce(pf, self.labels(pf, 1.0))
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def step(self, real):
        z = torch.randn(len(real), self.z_dim, device=self.device)
        fake = self.G(z)
        return self.discriminator_step(real, fake), self.generator_step(fake)


if __name__ == "__main__":
    trainer = GANTrainer()
    for i in range(3):
        real = torch.randn(16, 2, device=trainer.device) * 0.5 + 2
        print(i, trainer.step(real))
