import torch
import torch.nn.functional as F
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self, dim=24, z=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.SiLU(), nn.Linear(32, z))
        self.dec = nn.Sequential(nn.Linear(z, 32), nn.SiLU(), nn.Linear(32, dim))

    def get_last_layer(self):
        return self.dec[-1].weight

    def forward(self, x):
        return self.dec(self.enc(x))


class LossWithDiscriminator(nn.Module):
    def __init__(self, dim=24, disc_weight=0.8, start=2):
        super().__init__()
        self.discriminator = nn.Sequential(nn.Linear(dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.disc_weight, self.start = disc_weight, start

    def calculate_adaptive_weight(self, nll_loss, g_loss, last_layer):
        nll_grads = torch.autograd.grad(nll_loss, last_layer, retain_graph=True)[0]
        g_grads = torch.autograd.grad(g_loss, last_layer, retain_graph=True)[0]
        d_weight = torch.norm(nll_grads) / (torch.norm(g_grads) + 1e-4)
        return torch.clamp(d_weight, 0.0, 1e4).detach() * self.disc_weight

    def generator(self, x, recon, last_layer, step):
        nll_loss = (x - recon).abs().mean()
        g_loss = -self.discriminator(recon).mean()
        if step < self.start:
            return nll_loss
        return nll_loss + self.calculate_adaptive_weight(nll_loss, g_loss, last_layer) * g_loss

    def disc(self, x, recon):
        real, fake = self.discriminator(x), self.discriminator(recon.detach())
        return 0.5 * (F.relu(1.0 - real).mean() + F.relu(1.0 + fake).mean())


def main(steps=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ae, loss_fn = AutoEncoder().to(device), LossWithDiscriminator().to(device)
    opt_ae = torch.optim.Adam(ae.parameters(), lr=1e-3)
    opt_disc = torch.optim.Adam(loss_fn.discriminator.parameters(), lr=1e-3)
    for step in range(steps):
        x = torch.randn(16, 24, device=device)
        recon = ae(x)
        opt_ae.zero_grad()
        ae_loss = loss_fn.generator(x, recon, ae.get_last_layer(), step)
        ae_loss.backward()
        opt_ae.step()

        opt_disc.zero_grad()
        d_loss = loss_fn.disc(x, recon)
        d_loss.backward()
        opt_disc.step()
    print(ae_loss.item(), d_loss.item())


if __name__ == "__main__":
    main()
