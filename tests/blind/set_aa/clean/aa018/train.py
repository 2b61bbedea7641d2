import torch
import torch.nn.functional as F

from streaming.net import StreamNet
from streaming.state import StateKeeper

BATCH, WINDOW = 4, 10


def signal(n):
    t = torch.linspace(0, 12, n)
    waves = torch.stack([t.sin(), (2 * t).cos(), (0.5 * t).sin()], dim=-1)
    return waves + 0.05 * torch.randn(BATCH, n, 3)


def windows(x):
    for start in range(0, x.size(1) - WINDOW - 1, WINDOW):
        yield x[:, start:start + WINDOW], x[:, start + 1:start + WINDOW + 1]


device = "cuda" if torch.cuda.is_available() else "cpu"
net = StreamNet().to(device)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(2):
    total = count = 0
    with StateKeeper(net, BATCH) as keeper:
        for x, y in windows(signal(61).to(device)):
            pred, state = net(x, keeper.state)
            loss = F.mse_loss(pred, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            keeper.advance(state)
            total, count = total + loss.item(), count + 1
    print(epoch, total / count)
