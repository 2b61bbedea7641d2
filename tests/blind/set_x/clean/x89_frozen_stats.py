"""Fine-tuning with a backbone that stays frozen, batch norm statistics included."""
import torch
from torch import nn


class FrozenBackbone(nn.Module):
    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net.requires_grad_(False)
        self.net.eval()

    def train(self, mode: bool = True):
        super().train(mode)
        self.net.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            return self.net(x)


class Adapter(nn.Module):
    def __init__(self, dim, bottleneck=4):
        super().__init__()
        self.down, self.up = nn.Linear(dim, bottleneck), nn.Linear(bottleneck, dim)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x):
        return x + self.up(self.down(x).relu())


class FineTuner(nn.Module):
    def __init__(self, backbone, dim=16, classes=3):
        super().__init__()
        self.backbone = FrozenBackbone(backbone)
        self.adapter = Adapter(dim)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.drop(self.adapter(self.backbone(x))))


def epoch(model, opt, batches):
    model.train()
    for x, y in batches:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    hits = [model(x).argmax(1).eq(y).float().mean() for x, y in batches]
    return torch.stack(hits).mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU())
    model = FineTuner(body).to(device)
    opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    batches = []
    for _ in range(4):
        x = torch.randn(16, 6, device=device)
        batches.append((x, x[:, :3].argmax(1)))
    for _ in range(2):
        epoch(model, opt, batches)
        print(accuracy(model, batches))


if __name__ == "__main__":
    main()
