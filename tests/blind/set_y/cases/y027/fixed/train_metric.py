import torch
import torch.nn.functional as F
from torch import nn

from meters import Meters


class Embedder(nn.Module):
    def __init__(self, dim=12, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def batch_hard(emb, labels, margin):
    dist = torch.cdist(emb, emb)
    same = labels[:, None] == labels[None]
    hardest_pos = dist.masked_fill(~same, 0).amax(1)
    hardest_neg = dist.masked_fill(same, 10).amin(1)
    return F.relu(hardest_pos - hardest_neg + margin).mean()


def train(steps=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Embedder().to(device)
    proxies = nn.Linear(8, 6, bias=False).to(device)
    opt = torch.optim.Adam([*model.parameters(), *proxies.parameters()], lr=1e-3)
    meters = Meters()
    for step in range(steps):
        x = torch.randn(32, 12, device=device)
        labels = torch.randint(0, 6, (32,), device=device)
        emb = model(x)
        triplet = batch_hard(emb, labels, 0.2)
        ce = F.cross_entropy(8 * proxies(emb), labels)
        opt.zero_grad()
        (triplet + ce).backward()
        opt.step()
        meters["triplet"].update(triplet.item(), len(x))
        meters["ce"].update(ce.item(), len(x))
        if step % 2 == 0:
            print(step, meters)
    return meters


if __name__ == "__main__":
    result = train()
