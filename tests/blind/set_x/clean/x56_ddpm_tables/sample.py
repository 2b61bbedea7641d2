import torch
from torch import nn

from schedule import LinearSchedule


class EpsNet(nn.Module):
    def __init__(self, dim=2, hidden=32, steps=50):
        super().__init__()
        self.time = nn.Embedding(steps, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x, t):
        return self.out((self.inp(x) + self.time(t)).relu())


def train(net, schedule, device, steps=5):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(32, 2, device=device) * 0.1 + 1
        t = torch.randint(0, schedule.steps, (32,), device=device)
        noise = torch.randn_like(x)
        loss = (net(schedule.add_noise(x, noise, t), t) - noise).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def sample(net, schedule, n, device):
    x = torch.randn(n, 2, device=device)
    for step in reversed(range(schedule.steps)):
        t = torch.full((n,), step, device=device, dtype=torch.long)
        x = schedule.reverse(x, net(x, t), step)
    return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    schedule = LinearSchedule()
    net = EpsNet().to(device)
    train(net, schedule, device)
    net.eval()
    print(sample(net, schedule, 4, device).shape)


if __name__ == "__main__":
    main()
