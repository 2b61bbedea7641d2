import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_bn(cin, cout, k=3, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, k, stride, k // 2, bias=False), nn.BatchNorm2d(cout))


class Block(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.stride = stride
        self.conv1 = conv_bn(cin, cout, 3, stride)
        self.conv2 = conv_bn(cout, cout)

    def forward(self, x):
        y = F.relu(self.conv1(x))
        y = self.conv2(y)
        if x.shape[1] != y.shape[1]:
            x = conv_bn(x.shape[1], y.shape[1], 1, self.stride).to(x.device)(x)
        return F.relu(x + y)


class SmallResNet(nn.Module):
    def __init__(self, widths=(8, 16, 32), classes=10):
        super().__init__()
        self.stem = conv_bn(3, widths[0])
        stages = []
        for a, b in zip(widths, widths[1:]):
            stages += [Block(a, b, stride=2), Block(b, b)]
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(widths[-1], classes)

    def forward(self, x):
        x = self.stages(F.relu(self.stem(x)))
        return self.fc(x.mean((2, 3)))


def fit(model, device, steps=6):
    model.to(device).train()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    for _ in range(steps):
        x = torch.randn(16, 3, 24, 24, device=device)
        y = torch.randint(0, 10, (16,), device=device)
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallResNet()
    print("loss", fit(model, device))
