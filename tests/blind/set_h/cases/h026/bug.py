import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, width), nn.LayerNorm(width), nn.GELU(), nn.Linear(width, width), nn.GELU())

    def forward(self, x):
        return self.layers(x)


class Classifier(nn.Module):
    def __init__(self, backbone, width=24, classes=4):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def pretrained():
    g = torch.Generator().manual_seed(7)
    net = Backbone()
    with torch.no_grad():
        for p in net.parameters():
            if p.dim() == 2:
                p.copy_(torch.randn(p.shape, generator=g) / p.size(1) ** 0.5)
    return net


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--freeze", action="store_true", help="train only the head")
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args(argv)

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier(pretrained()).to(device)
    if args.freeze:
        model.backbone.requires_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()

    x = torch.randn(128, 16)
    loader = DataLoader(TensorDataset(x, x[:, :4].argmax(1)), batch_size=32, shuffle=True)
    for epoch in range(args.epochs):
        total = 0.0
        for xb, yb in loader:
            xb, yb = xb.to(device), yb.to(device)
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.4f}")
    return model


if __name__ == "__main__":
    trained = main()
