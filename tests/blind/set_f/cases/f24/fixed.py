import torch
from torch import nn


class Shadow:
    """Exponential moving average of the weights."""

    def __init__(self, module, decay=0.99):
        self.decay = decay
        self.values = {n: p.detach().clone() for n, p in module.named_parameters()}
        self.backup = {}

    @torch.no_grad()
    def update(self, module):
        for n, p in module.named_parameters():
            self.values[n].mul_(self.decay).add_(p, alpha=1 - self.decay)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.backup.clear()

    def swap(self, module):
        for n, p in module.named_parameters():
            self.backup[n] = p.data
            p.data = self.values[n]


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.fc = nn.Linear(6, 10)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean((2, 3)))


class Trainer:
    def __init__(self, lr=0.05):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = ConvNet().to(self.device)
        self.ema = Shadow(self.net)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9, nesterov=True)
        self.loss = nn.CrossEntropyLoss()

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        loss = self.loss(self.net(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.ema.update(self.net)
        return loss.item()


if __name__ == "__main__":
    t = Trainer()
    for _ in range(3):
        print(t.step(torch.randn(4, 1, 8, 8), torch.randint(0, 10, (4,))))
