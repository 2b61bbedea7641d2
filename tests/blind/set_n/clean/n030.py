import torch
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.act = nn.ReLU(inplace=True)
        self.skip = nn.Identity() if i == o and stride == 1 else nn.Conv2d(i, o, 1, stride)

    def forward(self, x):
        y = self.act(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += self.skip(x)
        return self.act(y)


class ResNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 1, 1)
        self.blocks = nn.Sequential(BasicBlock(8, 8), BasicBlock(8, 16, 2), BasicBlock(16, 16))
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        f = self.blocks(self.stem(x)).mean((2, 3))
        logits = self.fc(f)
        logits -= logits.detach().amax(1, keepdim=True)
        return logits


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = ResNet().to(device)
    opt = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, nesterov=True)
    for _ in range(2):
        x = torch.randn(4, 3, 8, 8, device=device)
        x.sub_(0.5).div_(0.25)
        y = torch.randint(4, (4,), device=device)
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
