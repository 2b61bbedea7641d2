import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, z=4, d=2):
        super().__init__()
        self.z = z
        self.net = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def sample(self, n):
        return self.net(torch.randn(n, self.z))


class Clipper:
    def __init__(self, limit=0.05):
        self.limit = limit

    def __call__(self, module):
        with torch.no_grad():
            for p in module.parameters():
                p.clamp_(-self.limit, self.limit)


class WGAN:
    n_critic = 3

    def __init__(self):
        self.gen = Generator()
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=5e-4)
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=5e-4)
        self.after_critic = [Clipper()]

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.gen.sample(len(real))
        loss = self.critic(fake).mean() - self.critic(real).mean()
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        for fn in self.after_critic:
            fn(self.critic)
        return -loss.item()

    def generator_step(self, n):
        loss = -self.critic(self.gen.sample(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()

    def fit(self, loader, epochs=1):
        for _ in range(epochs):
            for i, (real,) in enumerate(loader, 1):
                dist = self.critic_step(real)
                if i % self.n_critic == 0:
                    self.generator_step(len(real))
            print("wasserstein", dist)


WGAN().fit(DataLoader(TensorDataset(torch.randn(96, 2) + 2), batch_size=16, shuffle=True))
