import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 6 * 6, 10)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))


use_cuda = torch.cuda.is_available()
torch.manual_seed(1)
net = LeNet()
criterion = nn.CrossEntropyLoss()
if use_cuda:
    net.cuda()
    torch.cuda.manual_seed_all(1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)


def fetch(n):
    x, y = torch.randn(n, 1, 8, 8), torch.randint(0, 10, (n,))
    if use_cuda:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
    return x, y


for epoch in range(2):
    net.train()
    for i in range(4):
        x, y = fetch(16)
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        x, y = fetch(64)
        acc = (net(x).argmax(1) == y).float().mean()
    print(f"epoch {epoch} loss {loss.item():.3f} acc {acc.item():.3f}")
