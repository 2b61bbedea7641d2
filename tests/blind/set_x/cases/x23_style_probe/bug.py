"""Perceptual loss for a super-resolution network."""
import torch
from torch import nn
import torch.nn.functional as F


class FeatureExtractor(nn.Module):
    """Frozen features taken at several depths."""

    def __init__(self, depths=(1, 3)):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU()
        )
        self.depths = set(depths)
        self.requires_grad_(False)

    def forward(self, x):
        feats = []
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i in self.depths:
                feats.append(x)
        return feats


class PerceptualLoss:
    def __init__(self, weights=(1.0, 0.5), device=None):
        self.weights = weights
        self.extractor = FeatureExtractor().eval()

    def __call__(self, output, target):
        loss = F.l1_loss(output, target)
        with torch.no_grad():
            wanted = self.extractor(target)
        for w, a, b in zip(self.weights, self.extractor(output), wanted):
            loss = loss + w * F.mse_loss(a, b)
        return loss


class Upscaler(nn.Module):
    def __init__(self, factor=2, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.PReLU())
        self.up = nn.Conv2d(width, 3 * factor ** 2, 3, padding=1)
        self.shuffle = nn.PixelShuffle(factor)

    def forward(self, x):
        return self.shuffle(self.up(self.body(x)))


def main(steps=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Upscaler().to(device)
    criterion = PerceptualLoss(device=device)
    opt = torch.optim.Adam(net.parameters(), lr=2e-4)
    for _ in range(steps):
        hr = torch.rand(2, 3, 16, 16, device=device)
        lr = F.avg_pool2d(hr, 2)
        loss = criterion(net(lr), hr)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
