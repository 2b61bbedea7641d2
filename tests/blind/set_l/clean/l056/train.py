import torch
import torch.nn.functional as F

from nets import Discriminator, Generator


def set_grad(module, flag):
    for p in module.parameters():
        p.requires_grad_(flag)


class GANTrainer:
    def __init__(self, device):
        self.device = device
        self.g, self.d = Generator().to(device), Discriminator().to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), 2e-4, betas=(0.5, 0.99))
        self.opt_d = torch.optim.Adam(self.d.parameters(), 2e-4, betas=(0.5, 0.99))

    def d_step(self, real, fake):
        set_grad(self.d, True)
        loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, real, fake):
        set_grad(self.d, False)
        score, feats = self.d(fake, features=True)
        with torch.no_grad():
            _, target = self.d(real, features=True)
        loss = F.softplus(-score).mean() + F.mse_loss(feats.mean(0), target.mean(0))
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def fit(self, steps):
        for i in range(steps):
            real = torch.randn(16, 10, device=self.device).clamp(-1, 1)
            fake = self.g(len(real))
            print(i, self.d_step(real, fake), self.g_step(real, fake))


if __name__ == "__main__":
    GANTrainer(torch.device("cuda" if torch.cuda.is_available() else "cpu")).fit(4)
