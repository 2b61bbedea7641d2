import torch
import torch.nn as nn
import torch.nn.functional as F


class VAEGAN:
    """Encoder, decoder and critic with an optimizer each; the graph is shared by two losses."""

    def __init__(self, dim=12, latent=3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.encoder = nn.Linear(dim, 2 * latent).to(self.device)
        self.decoder = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, dim)).to(self.device)
        self.opt_e = torch.optim.Adam(self.encoder.parameters(), lr=1e-3)
        self.opt_d = torch.optim.Adam(self.decoder.parameters(), lr=1e-3)

    def losses(self, x):
        mu, logvar = self.encoder(x).chunk(2, dim=1)
        z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
        recon = F.mse_loss(self.decoder(z), x)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
        return recon, kl

    def step(self, x):
        recon, kl = self.losses(x)
        # both gradients are taken before anything steps
        self.opt_e.zero_grad()
        self.opt_d.zero_grad()
        recon.backward(retain_graph=True)
        recon_norm = self.encoder.weight.grad.norm().item()
        kl.backward()
        total_norm = self.encoder.weight.grad.norm().item()
        self.opt_e.step()
        self.opt_d.step()
        return recon.item(), kl.item(), recon_norm / max(total_norm, 1e-12)


model = VAEGAN()
for i in range(3):
    recon, kl, share = model.step(torch.randn(16, 12, device=model.device))
    print(f"{i}: recon {recon:.3f} kl {kl:.3f} share {share:.2f}")
