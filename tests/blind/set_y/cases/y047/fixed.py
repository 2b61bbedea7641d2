import torch
import torch.nn.functional as F
from torch import nn


class HashNet(nn.Module):
    """Deep hashing: images to binary codes for retrieval."""

    def __init__(self, dim=32, bits=16):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, bits))

    def forward(self, x):
        code = torch.sigmoid(self.encoder(x))
        code = code + (code.round() - code).detach()
        return code


def contrastive(codes, labels, margin=4.0):
    dist = (codes[:, None] - codes[None]).abs().sum(-1)
    same = (labels[:, None] == labels[None]).float()
    return (same * dist + (1 - same) * F.relu(margin - dist)).mean()


class Experiment:
    def __init__(self, seed=1):
        torch.manual_seed(seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = HashNet().to(self.device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05, momentum=0.9)
        self.centers = torch.randn(5, 32, device=self.device)

    def batch(self, n=40):
        labels = torch.randint(0, 5, (n,), device=self.device)
        return self.centers[labels] + 0.5 * torch.randn(n, 32, device=self.device), labels

    def train(self, steps):
        for step in range(steps):
            x, y = self.batch()
            loss = contrastive(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if step % 5 == 0:
                print(step, loss.item())

    @torch.no_grad()
    def precision(self):
        x, y = self.batch()
        codes = self.net(x)
        dist = torch.cdist(codes, codes, p=1) + 1e6 * torch.eye(len(x), device=self.device)
        return (y[dist.argmin(1)] == y).float().mean().item()


exp = Experiment()
exp.train(11)
print("precision@1", exp.precision())
