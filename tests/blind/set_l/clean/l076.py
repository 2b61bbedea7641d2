import torch
import torch.nn as nn
import torch.nn.functional as F


class FrozenBackbone(nn.Module):
    def __init__(self, d=12, h=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.out_dim = h
        self.requires_grad_(False)

    def train(self, mode=True):
        return super().train(False)

    @torch.no_grad()
    def forward(self, x):
        return self.net(x)


class Probe(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Sequential(nn.LayerNorm(backbone.out_dim), nn.Dropout(0.1), nn.Linear(backbone.out_dim, classes))

    def forward(self, x):
        return self.head(self.backbone(x))


class Meter:
    def __init__(self):
        self.total = self.n = 0

    def add(self, value, n):
        self.total += value * n
        self.n += n

    def __float__(self):
        return self.total / max(1, self.n)


def accuracy(logits, y):
    return (logits.argmax(1) == y).float().mean().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Probe(FrozenBackbone(), 3).to(device)
opt = torch.optim.SGD(model.head.parameters(), lr=0.1, momentum=0.9)
for epoch in range(2):
    model.train()
    loss_m, acc_m = Meter(), Meter()
    for _ in range(4):
        x = torch.randn(16, 12, device=device)
        y = x[:, :3].argmax(1)
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss_m.add(loss.item(), len(y))
        acc_m.add(accuracy(logits, y), len(y))
    print(epoch, float(loss_m), float(acc_m))
