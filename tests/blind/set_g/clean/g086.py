import torch
import torch.nn as nn
import torch.nn.functional as F


class SimSiam(nn.Module):
    def __init__(self, dim=10, emb=8, hidden=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, emb))
        self.predictor = nn.Sequential(nn.Linear(emb, hidden), nn.ReLU(), nn.Linear(hidden, emb))

    @staticmethod
    def distance(p, z):
        return -F.cosine_similarity(p, z.detach(), dim=-1).mean()

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        pa, pb = self.predictor(za), self.predictor(zb)
        loss = 0.5 * (self.distance(pa, zb) + self.distance(pb, za))
        with torch.no_grad():
            spread = F.normalize(za, dim=1).std(0).mean()
        return {"loss": loss, "spread": spread}


class Augment:
    def __init__(self, noise=0.1, drop=0.2):
        self.noise, self.drop = noise, drop

    def __call__(self, x):
        keep = torch.rand_like(x) > self.drop
        return (x + self.noise * torch.randn_like(x)) * keep


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, augment = SimSiam().to(device), Augment()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    spreads = []
    for step in range(4):
        x = torch.randn(32, 10, device=device)
        out = model(augment(x), augment(x))
        opt.zero_grad()
        out["loss"].backward()
        opt.step()
        spreads.append(out["spread"])
    print("loss", out["loss"].item(), "spread", torch.stack(spreads).tolist())


if __name__ == "__main__":
    main()
