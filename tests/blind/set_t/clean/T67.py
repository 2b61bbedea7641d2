import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=-1).mean()


class SimSiam(nn.Module):
    def __init__(self, encoder, dim=16):
        super().__init__()
        self.encoder = encoder
        self.projector = nn.Sequential(nn.LazyLinear(dim), nn.BatchNorm1d(dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))
        self.predictor = nn.Sequential(nn.Linear(dim, dim // 2), nn.ReLU(inplace=True), nn.Linear(dim // 2, dim))

    def forward(self, a, b):
        za, zb = (self.projector(self.encoder(v)) for v in (a, b))
        pa, pb = self.predictor(za), self.predictor(zb)
        return 0.5 * (cosine(pa, zb) + cosine(pb, za)), za


class CollapseMonitor:
    def __init__(self):
        self.values = []

    def __call__(self, z):
        with torch.no_grad():
            self.values.append(F.normalize(z, dim=1).std(0).mean())

    def latest(self):
        return torch.stack(self.values[-5:]).mean().item()


class Jitter:
    def __init__(self, noise=0.1, drop=0.2):
        self.noise, self.drop = noise, drop

    def __call__(self, x):
        keep = torch.rand(x.shape[:2], device=x.device).unsqueeze(-1) > self.drop
        return (x + self.noise * torch.randn_like(x)) * keep


def knn_accuracy(encoder, x, y, k=3):
    encoder.eval()
    with torch.no_grad():
        z = F.normalize(encoder(x), dim=1)
        sim = z @ z.t()
        sim.fill_diagonal_(-1)
        votes = y[sim.topk(k).indices]
    encoder.train()
    return (votes.mode(1).values == y).float().mean().item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    y = torch.randint(0, 3, (60,))
    t = torch.linspace(0, 6, 24)
    x = torch.sin(t[None, :, None] * (1 + y.view(-1, 1, 1))) + 0.1 * torch.randn(60, 24, 2)
    x, y = x.to(device), y.to(device)
    encoder = nn.Sequential(nn.Flatten(), nn.Linear(48, 32), nn.ReLU())
    model = SimSiam(encoder).to(device)
    with torch.no_grad():
        model(x[:4], x[:4])
    optimizer = torch.optim.SGD([
        {"params": [*model.encoder.parameters(), *model.projector.parameters()]},
        {"params": model.predictor.parameters(), "lr": 0.1},
    ], lr=0.05, momentum=0.9)
    view, monitor = Jitter(), CollapseMonitor()
    for epoch in range(3):
        for idx in torch.randperm(len(x)).split(20):
            loss, z = model(view(x[idx]), view(x[idx]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            monitor(z)
        print(epoch, loss.item(), monitor.latest(), knn_accuracy(model.encoder, x, y))


if __name__ == "__main__":
    main()
