import torch
import torch.nn as nn
import torch.nn.functional as F


def squash_(x, limit):
    """Clip to [-limit, limit]; the result replaces x."""
    return x.clamp_(-limit, limit)


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c)

    def forward(self, x):
        out = self.conv1(x)
        out = self.bn1(out)
        out = F.relu_(out)
        out = self.bn2(self.conv2(out))
        out += x
        return F.relu(out, inplace=True)


class Gated(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.value, self.gate = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        logits = self.gate(x)
        logits[:, 0] += 1.0
        logits = squash_(logits, 8.0)
        return self.value(x) * torch.sigmoid(logits)


class Net(nn.Module):
    def __init__(self, c=8, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, c, 3, padding=1)
        self.res = nn.ModuleList(Residual(c) for _ in range(2))
        self.gated = Gated(c)
        self.fc = nn.Linear(c, classes)

    def forward(self, x):
        x = self.stem(x)
        for r in self.res:
            x = r(x)
        scores = self.fc(self.gated(x.mean(dim=(2, 3))))
        scores /= 0.5
        return scores


device = "cuda" if torch.cuda.is_available() else "cpu"
net = Net().to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.rand(4, 3, 16, 16, device=device), torch.randint(0, 4, (4,), device=device)
    x.mul_(2).sub_(1)
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
probs = net.eval()(x).detach().softmax(1)
probs *= probs > 0.3
print(probs)
