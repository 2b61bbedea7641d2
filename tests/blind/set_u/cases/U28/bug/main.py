import torch
import torch.nn as nn
import torch.nn.functional as F

from kernels import gaussian_kernel, sobel
from setup_env import init

init(seed=7)


class Deblur(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 1, 3, padding=1))

    def forward(self, x):
        return x + self.net(x)


class EdgeLoss:
    def __init__(self, weight=0.2):
        self.weight, self.kernel = weight, sobel()

    def __call__(self, pred, target):
        edges = lambda im: F.conv2d(im, self.kernel, padding=1)
        return F.l1_loss(pred, target) + self.weight * F.l1_loss(edges(pred), edges(target))


blur = gaussian_kernel()
model = Deblur()
criterion = EdgeLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(4):
    sharp = torch.rand(4, 1, 24, 24)
    image = F.pad(sharp, (2, 2, 2, 2), mode="replicate")
    windows = image.unfold(2, 5, 1).unfold(3, 5, 1)
    blurred = (windows * blur[0, 0]).sum(dim=(-1, -2))
    loss = criterion(model(blurred), sharp)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
