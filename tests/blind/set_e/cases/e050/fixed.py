import torch
from torch import nn


class DeepHash(nn.Module):
    def __init__(self, d, bits):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, bits))

    def forward(self, x):
        h = torch.tanh(self.net(x))
        return h

    @torch.no_grad()
    def codes(self, x):
        return self(x).sign()


def pair_loss(codes, labels, margin=2.0):
    d = torch.cdist(codes, codes).pow(2)
    same = (labels[:, None] == labels[None]).float()
    return (same * d + (1 - same) * (margin - d).clamp(min=0)).mean()


def train(model, steps, norms=None):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        x, y = torch.randn(12, 6, device=device), torch.randint(0, 3, (12,), device=device)
        loss = pair_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if norms is not None:
            norms.extend(p.grad.norm().item() for p in model.parameters())
    return loss.item()
