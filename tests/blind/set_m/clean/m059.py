import torch
from torch import nn
import torch.nn.functional as F


class Autoencoder(nn.Module):
    def __init__(self, d=16, z=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, z))
        self.decoder = nn.Sequential(nn.Linear(z, 24), nn.ReLU(), nn.Linear(24, d))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def adaptive_weight(rec_loss, adv_loss, last_layer):
    g_rec, = torch.autograd.grad(rec_loss, last_layer, retain_graph=True)
    g_adv, = torch.autograd.grad(adv_loss, last_layer, retain_graph=True)
    return (g_rec.norm() / (g_adv.norm() + 1e-4)).clamp(0, 1e4).detach()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ae = Autoencoder().to(device)
critic = nn.Sequential(nn.Linear(16, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).to(device)
opt_ae = torch.optim.Adam(ae.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)

for step in range(4):
    x = torch.randn(32, 16, device=device)
    recon = ae(x)
    rec_loss = F.l1_loss(recon, x)
    adv_loss = -critic(recon).mean()
    weight = adaptive_weight(rec_loss, adv_loss, ae.decoder[-1].weight)
    loss = rec_loss + 0.5 * weight * adv_loss
    opt_ae.zero_grad()
    loss.backward()
    opt_ae.step()

    loss_c = F.relu(1 - critic(x)).mean() + F.relu(1 + critic(recon.detach())).mean()
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    print(step, rec_loss.item(), weight.item(), loss_c.item())
