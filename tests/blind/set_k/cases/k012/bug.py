from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass
class Noise:
    dim: int
    device: torch.device
    rng: torch.Generator = field(default_factory=torch.Generator)
    seed: int = 7

    def __post_init__(self):
        self.rng.manual_seed(self.seed)

    def __call__(self, n):
        return torch.randn(n, self.dim, generator=self.rng, device=self.device)


class Generator(nn.Module):
    def __init__(self, z, out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, 32), nn.LeakyReLU(0.2), nn.Linear(32, out))

    def forward(self, z):
        return self.net(z)


class Critic(nn.Sequential):
    def __init__(self, inp):
        super().__init__(nn.Linear(inp, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    noise = Noise(8, device)
    gen, critic = Generator(8, 2).to(device), Critic(2).to(device)
    opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-4)
    opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
    for step in range(5):
        for _ in range(2):
            real = torch.randn(32, 2, device=device) * 0.3 + 1.0
            with torch.no_grad():
                fake = gen(noise(32))
            loss_c = critic(fake).mean() - critic(real).mean()
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
            with torch.no_grad():
                for p in critic.parameters():
                    p.clamp_(-0.05, 0.05)
        loss_g = -critic(gen(noise(32))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        print(step, round(loss_c.item(), 4), round(loss_g.item(), 4))


if __name__ == "__main__":
    main()
