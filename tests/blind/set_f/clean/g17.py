"""A frozen network inside a loss: gradients flow through it, none reach its weights."""
import torch
from torch import nn
import torch.nn.functional as F


class Frozen(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        for p in self.net.parameters():
            p.requires_grad = False
        self.net.eval()

    def train(self, mode=True):
        super().train(mode)
        self.net.eval()
        return self

    def forward(self, x):
        return self.net(x)


class FeatureLoss(nn.Module):
    def __init__(self, layers=2, c=4):
        super().__init__()
        blocks, last = [], 1
        for _ in range(layers):
            blocks.append(Frozen(nn.Sequential(nn.Conv2d(last, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU())))
            last = c
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x, y):
        total = x.new_zeros(())
        with torch.no_grad():
            refs = []
            for b in self.blocks:
                y = b(y)
                refs.append(y)
        for b, ref in zip(self.blocks, refs):
            x = b(x)
            total = total + F.l1_loss(x, ref)
        return total


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 5, padding=2)

    def forward(self, x):
        return torch.sigmoid(self.conv(x))


def step(painter, loss_fn, optimizer, image):
    painter.train()
    loss_fn.train()
    loss = loss_fn(painter(image), image)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"loss": loss.item(), "frozen": all(p.grad is None for p in loss_fn.parameters())}
