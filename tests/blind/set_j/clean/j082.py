import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU(inplace=True)
        self.short = nn.Identity() if stride == 1 and cin == cout else nn.Conv2d(cin, cout, 1, stride)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += self.short(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 1, 1)
        self.body = nn.Sequential(BasicBlock(8, 8), BasicBlock(8, 16, 2))
        self.fc = nn.Linear(16, classes)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        return self.fc(F.adaptive_avg_pool2d(self.body(self.stem(x)), 1).flatten(1))


def mixup(x, y, n):
    lam = torch.distributions.Beta(0.4, 0.4).sample().item()
    perm = torch.randperm(x.size(0), device=x.device)
    target = F.one_hot(y, n).float()
    other = x[perm]
    x.mul_(lam).add_(other, alpha=1 - lam)
    return x, lam * target + (1 - lam) * target[perm]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = ResNet().to(device).train()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for _ in range(2):
    x, y = torch.rand(6, 3, 12, 12).to(device), torch.randint(0, 5, (6,)).to(device)
    x, t = mixup(x, y, 5)
    loss = F.cross_entropy(model(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
