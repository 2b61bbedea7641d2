import torch
import torch.nn.functional as F

from ema import ModelEMA
from model import ConvNet


@torch.no_grad()
def accuracy(net, x, y):
    return (net(x).argmax(1) == y).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ConvNet()
    ema = ModelEMA(net)
    net.to(device)
    ema.to(device)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    x, y = torch.randn(24, 1, 8, 8, device=device), torch.randint(0, 3, (24,), device=device)
    for _ in range(4):
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(net)
    print(accuracy(ema.module, x, y), ema.updates)


if __name__ == "__main__":
    main()
