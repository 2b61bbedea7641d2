import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, 2, 1)
        self.block = nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))

    def forward(self, x):
        x = self.stem(x)
        return (x + self.block(x)).mean((2, 3))


class FineTuneNet(nn.Module):
    def __init__(self, num_classes=10, width=8):
        super().__init__()
        self.backbone = Backbone(width)
        self.head = nn.Linear(width, num_classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def build(freeze=True, lr=1e-3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = FineTuneNet()
    if freeze:
        for name, param in net.named_parameters():
            if name.startswith("backbone"):
                param.requires_grad = False
    net.to(device)
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=lr)
    return net, optimizer


def main():
    net, optimizer = build()
    device = next(net.parameters()).device
    for _ in range(2):
        x, y = torch.rand(4, 3, 16, 16).to(device), torch.randint(0, 10, (4,)).to(device)
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), sum(p.numel() for p in net.parameters() if p.requires_grad))


if __name__ == "__main__":
    main()
