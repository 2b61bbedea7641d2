import torch
import torch.nn as nn
import torch.nn.functional as F


def off_diagonal(m):
    n = m.shape[0]
    return m.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()


class VICReg:
    def __call__(self, a, b):
        sim = F.mse_loss(a, b)
        a, b = a - a.mean(0), b - b.mean(0)
        std = sum(F.relu(1 - torch.sqrt(z.var(0) + 1e-4)).mean() for z in (a, b)) / 2
        cov = sum(off_diagonal(z.T @ z / (len(z) - 1)).pow_(2).sum() / z.shape[1] for z in (a, b))
        return 25 * sim + 25 * std + cov


class Barlow(nn.Module):
    def __init__(self, dim, lam=5e-3):
        super().__init__()
        self.bn, self.lam = nn.BatchNorm1d(dim, affine=False), lam

    def forward(self, a, b):
        c = self.bn(a).T @ self.bn(b)
        c.div_(len(a))
        on = torch.diagonal(c).add(-1).pow(2).sum()
        return on + self.lam * off_diagonal(c).pow(2).sum()


class LARS(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.9, eta=1e-2):
        super().__init__(params, dict(lr=lr, momentum=momentum, eta=eta))

    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g["params"]:
                dp = p.grad
                if dp is None:
                    continue
                if p.ndim > 1:
                    pn, un = p.norm(), dp.norm()
                    one = torch.ones_like(pn)
                    dp = dp.mul(torch.where(pn > 0, torch.where(un > 0, g["eta"] * pn / un, one), one))
                mu = self.state[p].setdefault("mu", torch.zeros_like(p))
                mu.mul_(g["momentum"]).add_(dp)
                p.add_(mu, alpha=-g["lr"])


def linear_probe(feats, y, device):
    probe = nn.Linear(feats.shape[1], 3).to(device)
    opt = torch.optim.LBFGS(probe.parameters(), max_iter=20)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(probe(feats), y) + 1e-3 * probe.weight.square().sum()
        loss.backward()
        return loss

    opt.step(closure)
    with torch.no_grad():
        return (probe(feats).argmax(1) == y).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    y = (torch.arange(90) % 3).to(device)
    x = F.one_hot(y, 12).float() * 2 + torch.randn(90, 12, device=device)
    for crit in (VICReg(), Barlow(16).to(device)):
        enc = nn.Sequential(nn.Linear(12, 32), nn.ReLU()).to(device)
        proj = nn.Linear(32, 16).to(device)
        opt = LARS([*enc.parameters(), *proj.parameters()], lr=0.2)
        for _ in range(8):
            views = (proj(enc(x + 0.3 * torch.randn_like(x))) for _ in range(2))
            loss = crit(*views)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            feats = enc(x)
        print(type(crit).__name__, loss.item(), linear_probe(feats, y, device))


if __name__ == "__main__":
    main()
