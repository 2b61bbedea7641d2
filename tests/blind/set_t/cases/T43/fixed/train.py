import torch
from torch import nn
from heatmaps import gaussians, peaks, pck


class Hourglass(nn.Module):
    def __init__(self, points=3, width=12):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(width, width, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(width, points, 4, 2, 1))

    def forward(self, x):
        return self.up(self.down(x))


class CoordinateLoss(nn.Module):
    """Distance in pixels plus a penalty on the length of the limbs."""

    def __init__(self, limbs, weight=0.1):
        super().__init__()
        self.limbs, self.weight = limbs, weight

    def lengths(self, p):
        return torch.stack([(p[:, a] - p[:, b]).norm(dim=-1) for a, b in self.limbs], 1)

    def forward(self, pred, target):
        distance = (pred - target).norm(dim=-1).mean()
        return distance + self.weight * (self.lengths(pred) - self.lengths(target)).abs().mean()


def batch(n=8, size=16):
    points = torch.rand(n, 3, 2) * (size - 4) + 2
    image = gaussians(points, size).sum(1, keepdim=True)
    return image + 0.1 * torch.randn_like(image), points


def main():
    torch.manual_seed(0)
    model = Hourglass()
    criterion = CoordinateLoss([(0, 1), (1, 2)])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(5):
        image, points = batch()
        pred = peaks(model(image))
        loss = criterion(pred, points)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item(), pck(pred, points).item())


if __name__ == "__main__":
    main()
