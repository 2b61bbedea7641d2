import torch
from torch import nn
from torch.nn import functional as F


class Generator(nn.Module):
    def __init__(self, z=16, ch=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.ConvTranspose2d(z, ch * 2, 4, 1, 0), nn.BatchNorm2d(ch * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ch * 2, ch, 4, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(True),
            nn.ConvTranspose2d(ch, 1, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.net(z[:, :, None, None])


class Critic(nn.Module):
    def __init__(self, ch=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, ch, 4, 2, 1), nn.LeakyReLU(0.2, True),
            nn.Conv2d(ch, ch * 2, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Conv2d(ch * 2, 1, 4),
        )

    def forward(self, x):
        return self.net(x).flatten()


def init_weights(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
        if m.bias is not None:
            nn.init.zeros_(m.bias)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


def main(steps=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    G, D = Generator().to(device), Critic().to(device)
    D.apply(init_weights)
    G.apply(init_weights)
    og = torch.optim.Adam(G.parameters(), 2e-4, betas=(0.5, 0.999))
    od = torch.optim.Adam(D.parameters(), 2e-4, betas=(0.5, 0.999))
    for i in range(steps):
        real = torch.rand(8, 1, 16, 16, device=device) * 2 - 1
        z = torch.randn(8, 16, device=device)
        fake = G(z)
        d_loss = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake.detach())).mean()
        od.zero_grad()
        d_loss.backward()
        od.step()

        g_loss = -D(fake).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()
    print(f"d {d_loss.item():.3f} g {g_loss.item():.3f}")


if __name__ == "__main__":
    main()
