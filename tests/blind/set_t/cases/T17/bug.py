import torch
from torch import nn
import torch.nn.functional as F


class Imputer(nn.Module):
    """Fills gaps in sensor series."""

    def __init__(self, sensors=5, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(2 * sensors, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, sensors)

    def forward(self, x, mask):
        h, _ = self.rnn(torch.cat([x * mask, mask], -1))
        return x * mask + self.out(h) * (1 - mask)


class Critic(nn.Module):
    """Says for each entry whether it was measured."""

    def __init__(self, sensors=5, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(sensors, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, sensors))

    def forward(self, x):
        return self.net(x)


class Gain:
    def __init__(self, weight=10.0):
        self.imputer, self.critic = Imputer(), Critic()
        self.opt_i = torch.optim.Adam(self.imputer.parameters(), lr=1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.weight = weight

    def critic_step(self, filled, mask):
        loss = F.binary_cross_entropy_with_logits(self.critic(filled), mask)
        loss.backward()
        self.opt_c.step()
        self.opt_c.zero_grad()
        return loss.item()

    def imputer_step(self, x, mask):
        filled = self.imputer(x, mask)
        fool = F.softplus(-self.critic(filled))
        adversarial = (fool * (1 - mask)).sum() / (1 - mask).sum().clamp(min=1)
        reconstruct = ((filled - x) * mask).pow(2).mean() + (self.imputer.out(self.imputer.rnn(torch.cat([x, mask], -1))[0]) - x).pow(2).mul(mask).mean()
        (adversarial + self.weight * reconstruct).backward()
        self.opt_i.step()
        self.opt_i.zero_grad()
        self.critic.zero_grad()
        return reconstruct.item()

    def fit(self, series, steps=4):
        for i in range(steps):
            x = series[torch.randint(len(series), (8,))]
            mask = (torch.rand_like(x) > 0.3).float()
            filled = self.imputer(x, mask)
            c = self.critic_step(filled, mask)
            r = self.imputer_step(x, mask)
            print(f"{i}: critic {c:.3f} reconstruction {r:.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    series = torch.randn(40, 15, 5).cumsum(1)
    model = Gain()
    model.fit(series)
