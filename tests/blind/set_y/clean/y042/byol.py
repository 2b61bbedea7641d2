import torch
import torch.nn.functional as F
from torch import nn

from momentum import MomentumEncoder


class BYOL(nn.Module):
    def __init__(self, dim=12, proj=8):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, proj))
        self.predictor = nn.Sequential(nn.Linear(proj, 16), nn.ReLU(), nn.Linear(16, proj))
        self.target = MomentumEncoder(self.online)

    def trainable(self):
        yield from self.online.parameters()
        yield from self.predictor.parameters()

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        ta, tb = self.target(a), self.target(b)
        return (2 - 2 * F.cosine_similarity(pa, tb)).mean() + (2 - 2 * F.cosine_similarity(pb, ta)).mean()


def augment(x):
    return x * (1 + 0.1 * torch.randn_like(x)) + 0.05 * torch.randn_like(x)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    learner = BYOL()
    learner.to(device)
    opt = torch.optim.Adam(learner.trainable(), lr=1e-3)
    total = 5
    for step in range(total):
        x = torch.randn(32, 12, device=device)
        loss = learner(augment(x), augment(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        learner.target.follow(learner.online, step, total)
        print(step, f"{loss.item():.4f}")
