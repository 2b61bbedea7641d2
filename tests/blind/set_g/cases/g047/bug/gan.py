import torch
import torch.nn.functional as F

import nets


class GAN:
    def __init__(self, latent=4, lr=2e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.latent = latent
        self.generator = nets.generator(latent).to(self.device)
        self.discriminator = nets.discriminator().to(self.device)
        self.opt_g = torch.optim.Adam(self.generator.parameters(), lr=lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=lr, betas=(0.5, 0.999))

    def noise(self, n):
        return torch.randn(n, self.latent, device=self.device)

    def d_step(self, real):
        fake = self.generator(self.noise(len(real))).detach()
        loss = F.softplus(-self.discriminator(real)).mean() + F.softplus(self.discriminator(fake)).mean()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, n):
        loss = F.softplus(-self.discriminator(self.generator(self.noise(n)))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()


def real_points(n, device):
    angle = torch.rand(n, device=device) * 6.2832
    return torch.stack([angle.cos(), angle.sin()], dim=1)


state = GAN()
for it in range(4):
    d = state.d_step(real_points(16, state.device))
    g = state.g_step(16)
    print(f"{it} d={d:.3f} g={g:.3f}")
