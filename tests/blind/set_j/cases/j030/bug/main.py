import torch
import torch.nn as nn
import torch.nn.functional as F

from meter import AverageMeter

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Projector(nn.Module):
    def __init__(self, d=16, out=8):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, x):
        return F.normalize(self.f(x), dim=1)


def nt_xent(a, b, t=0.5):
    z = torch.cat([a, b])
    sim = z @ z.T / t
    sim = sim.masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), -1e9)
    n = len(a)
    target = torch.arange(2 * n, device=z.device).roll(n)
    loss = F.cross_entropy(sim, target)
    acc = (sim.detach().argmax(1) == target).float().mean()
    return loss, acc


net = Projector().to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
meters = {"loss": AverageMeter("loss"), "acc": AverageMeter("acc")}
for epoch in range(2):
    for m in meters.values():
        m.reset()
    for _ in range(4):
        x = torch.randn(24, 16, device=device)
        loss, acc = nt_xent(net(x + 0.1 * torch.randn_like(x)), net(x + 0.1 * torch.randn_like(x)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        meters["loss"].update(loss, x.size(0))
        meters["acc"].update(acc.item(), x.size(0))
    print(epoch, *meters.values())
