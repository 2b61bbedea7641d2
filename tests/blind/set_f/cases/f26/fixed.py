import random

import torch
from torch import nn


class Augment:
    def __init__(self, ops, p=0.5):
        self.ops, self.p = ops, p

    def __call__(self, batch):
        for op in self.ops:
            if random.random() < self.p:
                batch = op(batch)
        return batch


def hflip(x):
    return x.flip(-1)


def cutout(x, size=3):
    x = x.clone()
    top = random.randrange(x.size(-2) - size)
    left = random.randrange(x.size(-1) - size)
    x[..., top : top + size, left : left + size] = 0
    return x


class Regressor(nn.Sequential):
    def __init__(self, c=6):
        super().__init__(nn.Conv2d(3, c, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))


def loop(model, batches, device, augment):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    huber = nn.SmoothL1Loss()
    for images, centres in batches:
        images = augment(images)
        images = images.to(device, non_blocking=True)
        centres = centres.to(device, non_blocking=True)
        loss = huber(model(images), centres)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Regressor()
    net(torch.zeros(1, 3, 10, 10))
    net.to(dev)
    data = [(torch.rand(2, 3, 10, 10), torch.rand(2, 2)) for _ in range(3)]
    for value in loop(net, data, dev, Augment([hflip, cutout])):
        print(f"{value:.4f}")
