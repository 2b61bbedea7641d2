import torch
import torch.nn as nn


class SqueezeExcite(nn.Module):
    def __init__(self, ch, ratio=2, floor=0.1):
        super().__init__()
        self.floor = floor
        self.fc = nn.Sequential(nn.Linear(ch, ch // ratio), nn.ReLU(inplace=True), nn.Linear(ch // ratio, ch))

    def gate(self, x):
        g = torch.sigmoid(self.fc(x.mean((2, 3))))
        return g[..., None, None]

    def forward(self, x):
        g = self.gate(x)
        g *= 1 - self.floor
        g += self.floor
        return x * g


class Stage(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.se = SqueezeExcite(cout)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.se(self.conv(x)))


class Net(nn.Sequential):
    def __init__(self, widths, classes):
        stages = [Stage(a, b) for a, b in zip(widths, widths[1:])]
        super().__init__(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], classes))


if __name__ == "__main__":
    net = Net([3, 8, 8], 5)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(3):
        images, labels = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,))
        loss = nn.functional.cross_entropy(net(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
