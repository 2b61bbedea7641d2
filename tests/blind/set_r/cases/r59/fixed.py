import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, n_noise, length):
        super().__init__()
        self.n_noise = n_noise
        self.net = nn.Sequential(nn.Linear(n_noise, 48), nn.ReLU(), nn.Linear(48, length), nn.Tanh())

    def forward(self, n):
        z = torch.randn(n, self.n_noise, device=self.net[0].weight.device)
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(length, 48), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(48, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def waves(n, length, device):
    phase = torch.rand(n, 1, device=device) * 6.28
    t = torch.linspace(0, 6.28, length, device=device)
    return torch.sin(t + phase)


device = "cuda" if torch.cuda.is_available() else "cpu"
gen, disc = Generator(6, 20).to(device), Discriminator(20).to(device)
start = gen.net[0].weight.detach().clone()
criterion = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(gen.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(disc.parameters(), lr=2e-4, betas=(0.5, 0.999))

for step in range(6):
    real = waves(32, 20, device)
    ones, zeros = torch.ones(32, device=device), torch.zeros(32, device=device)

    opt_d.zero_grad()
    fake = gen(32)
    d_loss = criterion(disc(real), ones) + criterion(disc(fake.detach()), zeros)
    d_loss.backward()
    opt_d.step()

    opt_g.zero_grad()
    g_loss = criterion(disc(fake), ones)
    g_loss.backward()
    opt_g.step()
    if step % 2 == 0:
        print(f"{step} D {d_loss.item():.3f} G {g_loss.item():.3f}")
