import torch
import torch.nn.functional as F

from nets import critic, generator


class Gan:
    def __init__(self, n_noise, n_data, device):
        self.n_noise, self.device = n_noise, device
        self.g = generator(n_noise, n_data).to(device)
        self.d = critic(n_data).to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=1e-3, betas=(0.5, 0.9))
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=1e-3, betas=(0.5, 0.9))

    def fake(self, n):
        return self.g(torch.randn(n, self.n_noise, device=self.device))

    def penalty(self, real, fake):
        t = torch.rand(len(real), 1, device=self.device)
        between = (t * real + (1 - t) * fake).requires_grad_(True)
        (grad,) = torch.autograd.grad(self.d(between).sum(), between, create_graph=True)
        return (grad.norm(dim=1) - 1).pow(2).mean()

    def step(self, real):
        fake = self.fake(len(real))
        shown = fake.detach()
        loss_d = F.softplus(-self.d(real)).mean() + F.softplus(self.d(shown)).mean() + self.penalty(real, shown)
        self.opt_d.zero_grad()
        loss_d.backward()
        self.opt_d.step()

        loss_g = F.softplus(-self.d(fake)).mean()
        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()
        return loss_d.item(), loss_g.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gan = Gan(4, 2, device)
    for step in range(5):
        print(step, gan.step(torch.randn(32, 2, device=device) * 0.3 + 1))
