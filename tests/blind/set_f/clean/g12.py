"""A residual network that saves memory with in-place operations where they are legal."""
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.b1 = nn.BatchNorm2d(c)
        self.c2 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.b2 = nn.BatchNorm2d(c)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.act(self.b1(self.c1(x)))
        y = self.b2(self.c2(y))
        y += x
        return self.act(y)


class Stem(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(3, c, 3, stride=2, padding=1)
        self.register_buffer("shift", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))

    def forward(self, img):
        x = img.clone()
        x.sub_(self.shift).div_(0.25)
        x = self.conv(x)
        x.add_(0.1)
        return nn.functional.leaky_relu_(x, 0.1)


class Net(nn.Module):
    def __init__(self, c=6, depth=2, classes=4):
        super().__init__()
        self.stem = Stem(c)
        self.body = nn.Sequential(*(Residual(c) for _ in range(depth)))
        self.fc = nn.Linear(c, classes)
        self.reset()

    def reset(self):
        with torch.no_grad():
            self.fc.weight.mul_(0.1)
            self.fc.bias.zero_()
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)

    def forward(self, img):
        h = self.body(self.stem(img)).mean((2, 3))
        logits = self.fc(h)
        bias = torch.zeros_like(logits)
        bias[:, 0] += 0.5
        logits = logits + bias
        logits[:, -1] -= 1.0
        return logits
