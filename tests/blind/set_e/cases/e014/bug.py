"""Super resolution with a perceptual term from a frozen feature network."""
import torch
import torch.nn as nn


class FeatureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, padding=1))
        self.requires_grad_(False)
        self.eval()

    def forward(self, x):
        return self.layers(x)


class PerceptualLoss:
    def __init__(self, weight=0.1):
        self.net = FeatureNet()
        self.weight = weight
        self.l1 = nn.L1Loss()

    def __call__(self, pred, target):
        with torch.no_grad():
            ref = self.net(target)
        return self.l1(pred, target) + self.weight * self.l1(self.net(pred), ref)


class SRNet(nn.Module):
    def __init__(self, scale=2):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.PReLU(), nn.Conv2d(8, 3 * scale**2, 3, padding=1))
        self.up = nn.PixelShuffle(scale)

    def forward(self, x):
        return self.up(self.body(x))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SRNet().to(device)
    criterion = PerceptualLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for _ in range(2):
        hr = torch.rand(2, 3, 16, 16, device=device)
        lr = nn.functional.avg_pool2d(hr, 2)
        loss = criterion(model(lr), hr)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
