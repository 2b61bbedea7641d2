import torch
from torch import nn
from engine import train


def conv(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(inplace=True), nn.Dropout2d(0.1))


class UNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.d1, self.d2 = conv(1, width), conv(width, 2 * width)
        self.u1 = conv(3 * width, width)
        self.out = nn.Conv2d(width, 1, 1)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        return self.out(self.u1(torch.cat([a, self.up(b)], 1)))


def discs(n, size=16):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    c = torch.randint(4, 12, (n, 2, 1, 1))
    mask = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2 < 12).float().unsqueeze(1)
    return mask + 0.4 * torch.randn_like(mask), mask


torch.manual_seed(0)
train_batches = [discs(8) for _ in range(3)]
val_batches = [discs(8)]
model = UNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
print("best", train(model, optimizer, train_batches, val_batches, epochs=3))
