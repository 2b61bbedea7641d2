import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.c_in, self.c_out, self.stride = c_in, c_out, stride
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.shortcut = nn.Conv2d(c_in, c_out, 1, stride) if c_in != c_out or stride > 1 else None

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return F.relu(x + y)


class ResNetMini(nn.Module):
    def __init__(self, widths=(8, 16), classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 3, padding=1)
        blocks, c = [], widths[0]
        for i, w in enumerate(widths):
            blocks.append(ResidualBlock(c, w, stride=1 + (i > 0)))
            c = w
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(c, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def main():
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ResNetMini().to(dev)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    for step in range(2):
        x = torch.randn(4, 3, 8, 8, device=dev)
        y = torch.randint(0, 10, (4,), device=dev)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
