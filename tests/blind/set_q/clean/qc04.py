import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class SimSiam(nn.Module):
    def __init__(self, backbone, dim=16):
        super().__init__()
        self.f = backbone
        self.proj = nn.Sequential(nn.Linear(32, dim), nn.BatchNorm1d(dim, affine=False))
        self.pred = nn.Sequential(nn.Linear(dim, 8), nn.ReLU(), nn.Linear(8, dim))

    def forward(self, a, b):
        za, zb = self.proj(self.f(a)), self.proj(self.f(b))
        pa, pb = self.pred(za), self.pred(zb)
        return pa, pb, za.detach(), zb.detach()


class BYOL(nn.Module):
    def __init__(self, backbone, dim=16, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(backbone, nn.Linear(32, dim))
        self.predictor = nn.Linear(dim, dim)
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad_(False)
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, 1 - self.tau)

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return pa, pb, ta, tb


def neg_cosine(p, z):
    return -F.cosine_similarity(p, z, dim=-1).mean()


def knn_eval(model, train, labels, test, test_labels, k=5):
    encoder = model.f if isinstance(model, SimSiam) else model.online[0]
    encoder.eval()
    with torch.no_grad():
        bank = F.normalize(encoder(train), dim=1)
        sim = F.normalize(encoder(test), dim=1) @ bank.t()
        votes = labels[sim.topk(k).indices].mode(1).values
    encoder.train()
    return (votes == test_labels).float().mean().item()


def pretrain(model, x, device, steps=8):
    model.to(device).train()
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9)
    for _ in range(steps):
        i = torch.randint(len(x), (32,))
        v1, v2 = (x[i] + 0.2 * torch.randn(32, x.shape[1]).to(device) for _ in range(2))
        p1, p2, z1, z2 = model(v1, v2)
        loss = 0.5 * (neg_cosine(p1, z2) + neg_cosine(p2, z1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if hasattr(model, "update_target"):
            model.update_target()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    y = (torch.arange(120) % 3).to(device)
    x = F.one_hot(y, 10).float() * 2 + torch.randn(120, 10, device=device)
    for cls in (SimSiam, BYOL):
        m = cls(nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU()))
        print(cls.__name__, pretrain(m, x, device), knn_eval(m, x[:90], y[:90], x[90:], y[90:]))
