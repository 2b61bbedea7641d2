import torch
import torch.nn as nn
import torch.nn.functional as F


class PreActBlock(nn.Module):
    """The sums are written in place: a convolution does not keep its result."""

    def __init__(self, ch):
        super().__init__()
        self.bn1, self.bn2 = nn.BatchNorm2d(ch), nn.BatchNorm2d(ch)
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False)

    def forward(self, x):
        out = self.conv1(F.relu(self.bn1(x), inplace=True))
        out = self.conv2(F.relu(self.bn2(out), inplace=True))
        out += x
        return out


class Net(nn.Module):
    def __init__(self, ch=8, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, ch, 3, padding=1)
        self.blocks = nn.ModuleList(PreActBlock(ch) for _ in range(2))
        self.fc = nn.Linear(ch, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        logits = self.fc(x.mean((2, 3)))
        logits -= logits.mean(dim=1, keepdim=True)
        return logits


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = Net().to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(3):
        images = torch.randn(4, 3, 8, 8).to(device)
        images.clamp_(-2, 2).mul_(0.5)
        labels = torch.randint(0, 4, (4,)).to(device)
        loss = F.cross_entropy(net(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
