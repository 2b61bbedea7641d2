import torch
import torch.nn as nn
import torch.nn.functional as F

from meters import Meter


class TwoTower(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        self.left = nn.Linear(dim, out)
        self.right = nn.Linear(dim, out)
        self.temperature = nn.Parameter(torch.tensor(2.0))

    def forward(self, a, b):
        za, zb = F.normalize(self.left(a), dim=-1), F.normalize(self.right(b), dim=-1)
        return za @ zb.t() * self.temperature.exp()


def contrastive(logits):
    target = torch.arange(len(logits), device=logits.device)
    rows = F.cross_entropy(logits, target)
    cols = F.cross_entropy(logits.t(), target)
    return rows, cols


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TwoTower(10, 8).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
meter = Meter()
for epoch in range(2):
    meter.reset()
    for _ in range(8):
        a = torch.randn(16, 10, device=device)
        b = a + 0.2 * torch.randn_like(a)
        rows, cols = contrastive(model(a, b))
        loss = (rows + cols) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(n=len(a), loss=loss, rows=rows, cols=cols)
    print(epoch, meter)
