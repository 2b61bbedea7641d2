import torch
from torch import nn


def block(i, o):
    return nn.Sequential(nn.Linear(i, o), nn.LeakyReLU(0.2, inplace=True))


class Pair:
    """A generator and a critic that clear their gradients at the start of their own step."""

    def __init__(self, z=4, d=3, device="cpu"):
        self.z, self.device = z, device
        self.g = nn.Sequential(block(z, 16), nn.Linear(16, d)).to(device)
        self.c = nn.Sequential(block(d, 16), nn.Linear(16, 1)).to(device)
        self.og = torch.optim.Adam(self.g.parameters(), 1e-4)
        self.oc = torch.optim.Adam(self.c.parameters(), 4e-4)

    def noise(self, n):
        return torch.randn(n, self.z, device=self.device)

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.g(self.noise(len(real)))
        loss = torch.relu(1 - self.c(real)).mean() + torch.relu(1 + self.c(fake)).mean()
        self.oc.zero_grad()
        loss.backward()
        self.oc.step()
        return loss.item()

    def generator_step(self, n):
        loss = -self.c(self.g(self.noise(n))).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        return loss.item()

    def sample(self, n):
        training = self.g.training
        self.g.eval()
        with torch.no_grad():
            out = self.g(self.noise(n)).cpu()
        self.g.train(training)
        return out


if __name__ == "__main__":
    pair = Pair(device="cuda" if torch.cuda.is_available() else "cpu")
    for i in range(4):
        losses = [pair.critic_step(torch.rand(8, 3, device=pair.device)) for _ in range(2)]
        print(i, sum(losses), pair.generator_step(8))
    print(pair.sample(2).numpy().shape)
