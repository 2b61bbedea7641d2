import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def conv_block(i, o, k=4):
    return nn.Sequential(nn.Conv2d(i, o, k, 2, 1), nn.LeakyReLU(0.2, inplace=True))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv_block(1, 8), conv_block(8, 8), nn.Flatten(), nn.Linear(32, 6))

    def forward(self, x):
        return self.body(x)


gen = nn.Sequential(nn.Linear(6, 64), nn.Unflatten(1, (1, 8, 8)), nn.Tanh()).to(device)
disc = nn.Sequential(conv_block(1, 8), nn.Flatten(), nn.Linear(128, 1)).to(device)
enc = Encoder().to(device)
opt_g = torch.optim.Adam([*gen.parameters(), *enc.parameters()], lr=1e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3)

for it in range(3):
    real = torch.rand(4, 1, 8, 8, device=device) * 2 - 1
    fake = gen(enc(real))

    loss_d = F.relu(1 - disc(real)).mean() + F.relu(1 + disc(fake.detach())).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    disc.requires_grad_(False)
    adv = -disc(fake).mean()
    loss_g = adv + 10 * F.l1_loss(fake, real)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    disc.requires_grad_(True)
    if it % 2 == 0:
        print(it, loss_d.item(), loss_g.item())
