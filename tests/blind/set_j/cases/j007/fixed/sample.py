import torch
import torch.nn as nn

from schedule import NoiseSchedule


class EpsNet(nn.Module):
    def __init__(self, dim, T):
        super().__init__()
        self.emb = nn.Embedding(T, 32)
        self.f = nn.Sequential(nn.Linear(dim + 32, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.f(torch.cat([x, self.emb(t)], 1))


class Sampler:
    def __init__(self, net, schedule, device):
        self.net = net.to(device).eval()
        self.schedule = schedule.to(device)
        self.device = device

    @torch.no_grad()
    def __call__(self, n, dim, steps=5):
        x = torch.randn(n, dim, device=self.device)
        seq = torch.linspace(self.schedule.T - 1, 0, steps).long().tolist()
        for cur, prev in zip(seq[:-1], seq[1:]):
            t = torch.full((n,), cur, device=self.device)
            p = torch.full((n,), prev, device=self.device)
            x = self.schedule.ddim_step(x, self.net(x, t), t, p)
        return x


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Sampler(EpsNet(2, 50), NoiseSchedule(50), dev)
    out = sampler(8, 2)
    print(out.mean().item(), out.std().item())
