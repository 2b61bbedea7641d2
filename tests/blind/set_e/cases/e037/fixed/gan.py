import torch
from torch import nn

from models import discriminator, generator


class LSGAN:
    def __init__(self, z=4, d=6):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.z = z
        self.g, self.d = generator(z, d).to(self.device), discriminator(d).to(self.device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=1e-3)
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=1e-3)
        self.mse = nn.MSELoss()

    def train_step(self, real):
        real = real.to(self.device)
        valid = torch.ones(real.size(0), 1, device=self.device)
        fake_label = torch.zeros_like(valid)
        fake = self.g(torch.randn(real.size(0), self.z, device=self.device))

        self.opt_d.zero_grad()
        d_loss = 0.5 * (self.mse(self.d(real), valid) + self.mse(self.d(fake.detach()), fake_label))
        d_loss.backward()
        self.opt_d.step()

        self.opt_g.zero_grad()
        g_loss = self.mse(self.d(fake), valid)
        g_loss.backward()
        self.opt_g.step()
        return d_loss.item(), g_loss.item()


if __name__ == "__main__":
    gan = LSGAN()
    for _ in range(2):
        print(gan.train_step(torch.randn(8, 6)))
