import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, sizes, act=nn.ReLU):
        super().__init__()
        layers = []
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            layers.append(nn.Linear(a, b))
            if i < len(sizes) - 2:
                layers.append(act())
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1, device=real.device)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    grad, = torch.autograd.grad(
        outputs=score,
        inputs=mixed,
        grad_outputs=torch.ones_like(score),
        create_graph=True,
        retain_graph=True,
    )
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


def toggle(module, flag):
    for p in module.parameters():
        p.requires_grad = flag


class WGAN:
    def __init__(self, z_dim=4, device="cpu", n_critic=3, gp=10.0):
        self.z_dim, self.device, self.n_critic, self.gp = z_dim, device, n_critic, gp
        self.G = MLP([z_dim, 32, 2]).to(device)
        self.D = MLP([2, 32, 1], act=lambda: nn.LeakyReLU(0.2)).to(device)
        self.g_opt = torch.optim.Adam(self.G.parameters(), lr=1e-4, betas=(0.0, 0.9))
        self.d_opt = torch.optim.Adam(self.D.parameters(), lr=1e-4, betas=(0.0, 0.9))

    def noise(self, n):
        return torch.randn(n, self.z_dim, device=self.device)

    def critic_step(self, real):
        toggle(self.D, True)
        with torch.no_grad():
            fake = self.G(self.noise(len(real)))
        loss = self.D(fake).mean() - self.D(real).mean()
        loss = loss + self.gp * gradient_penalty(self.D, real, fake)
        self.d_opt.zero_grad()
        loss.backward()
        self.d_opt.step()
        return loss.item()

    def generator_step(self, n):
        toggle(self.D, False)
        loss = -self.D(self.G(self.noise(n))).mean()
        self.g_opt.zero_grad()
        loss.backward()
        self.g_opt.step()
        return loss.item()

    def fit(self, batches):
        for i, real in enumerate(batches):
            d = self.critic_step(real.to(self.device))
            if (i + 1) % self.n_critic == 0:
                g = self.generator_step(len(real))
                print(f"{i:3d} critic {d:.3f} gen {g:.3f}")


def gaussians(n_batches, n=32):
    for _ in range(n_batches):
        centers = torch.randint(0, 2, (n, 2)).float() * 4 - 2
        yield centers + 0.2 * torch.randn(n, 2)


if __name__ == "__main__":
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    WGAN(device=dev).fit(gaussians(6))
