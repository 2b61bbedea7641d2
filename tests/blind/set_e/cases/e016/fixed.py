import torch
from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(c, c // r), nn.ReLU(inplace=True), nn.Linear(c // r, c), nn.Sigmoid())

    def forward(self, x):
        return x * self.fc(x.mean((2, 3)))[:, :, None, None]


class Bottleneck(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 3, padding=1)
        self.se = SqueezeExcite(c)

    def forward(self, x):
        out = torch.sigmoid(self.conv1(x))
        identity = out
        out = self.se(self.conv2(out))
        return out + identity + x


class Net(nn.Module):
    def __init__(self, c=4, depth=2, classes=3):
        super().__init__()
        self.stem = nn.Conv2d(1, c, 3, padding=1)
        self.blocks = nn.Sequential(*[Bottleneck(c) for _ in range(depth)])
        self.fc = nn.Linear(c, classes)

    def forward(self, x):
        return self.fc(self.blocks(self.stem(x)).mean((2, 3)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.rand(2, 1, 6, 6, device=device), torch.tensor([0, 2], device=device)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
