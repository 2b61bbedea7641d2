import torch
from torch import nn


class GAN:
    def __init__(self, z=4, d=2, lr=2e-4):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.z = z
        self.g = nn.Sequential(nn.Linear(z, 16), nn.ReLU(), nn.Linear(16, d)).to(self.device)
        self.d = nn.Sequential(nn.Linear(d, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).to(self.device)
        self.opts = {
            "g": torch.optim.Adam(self.g.parameters(), lr=lr, betas=(0.5, 0.999)),
            "d": torch.optim.Adam(self.d.parameters(), lr=lr, betas=(0.5, 0.999)),
        }
        self.log = {"g": [], "d": []}

    def noise(self, n):
        return torch.randn(n, self.z, device=self.device)

    def zero(self):
        for opt in self.opts.values():
            opt.zero_grad(set_to_none=True)

    def step(self, real):
        n = real.size(0)
        fake = self.g(self.noise(n))
        ones, zeros = torch.ones(n, 1, device=self.device), torch.zeros(n, 1, device=self.device)
        bce = nn.functional.binary_cross_entropy_with_logits

        self.zero()
        d_loss = bce(self.d(real), ones) + bce(self.d(fake.detach()), zeros)
        d_loss.backward()
        self.opts["d"].step()

        self.zero()
        g_loss = bce(self.d(fake), ones)
        g_loss.backward()
        self.opts["g"].step()
        self.log["d"].append(d_loss.item())
        self.log["g"].append(g_loss.item())

    @torch.no_grad()
    def sample(self, n):
        return self.g(self.noise(n)).cpu().numpy()


if __name__ == "__main__":
    gan = GAN()
    for _ in range(3):
        gan.step(torch.randn(8, 2, device=gan.device) + 3)
    print(gan.sample(2), gan.log)
