"""Memory-thrifty ResNet blocks and masked attention pooling for histology tiles."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.act = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or i != o:
            self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        skip = x if self.down is None else self.down(x)
        out = self.act(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += skip
        return self.act(out)


class MILPool(nn.Module):
    def __init__(self, d, heads=2):
        super().__init__()
        self.score = nn.Linear(d, heads)

    def forward(self, h, valid):
        logits = self.score(h)
        logits.masked_fill_(~valid.unsqueeze(-1), float("-inf"))
        w = logits.softmax(dim=1)
        return torch.einsum("bnh,bnd->bhd", w, h).flatten(1)


class SlideNet(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.tiles = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            Block(8, 8), Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.pool = MILPool(16)
        self.fc = nn.Linear(32, classes)

    def forward(self, tiles, valid):
        b, n = valid.shape
        h = self.tiles(tiles.flatten(0, 1)).view(b, n, -1)
        return self.fc(self.pool(h, valid))


class Runner:
    def __init__(self, net, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = net.to(self.device)
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.loss = nn.CrossEntropyLoss()

    def batch(self, b=3, n=4):
        tiles = torch.rand(b, n, 3, 12, 12)
        tiles -= tiles.mean(dim=(-1, -2), keepdim=True)
        tiles.div_(0.25)
        count = torch.randint(1, n + 1, (b, 1))
        return tiles, torch.arange(n) < count, torch.randint(0, 2, (b,))

    def train(self, steps):
        self.net.train()
        for _ in range(steps):
            tiles, valid, y = (t.to(self.device) for t in self.batch())
            loss = self.loss(self.net(tiles, valid), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()


if __name__ == "__main__":
    print(Runner(SlideNet()).train(3))
