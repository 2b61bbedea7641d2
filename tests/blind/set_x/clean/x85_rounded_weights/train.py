import torch
from torch import nn
import torch.nn.functional as F

from quant import QuantLinear


def calibrate(net, x):
    with torch.no_grad():
        for layer in net:
            if isinstance(layer, QuantLinear):
                layer.qw.calibrate(layer.weight)
                layer.qx.calibrate(x)
            x = layer(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(QuantLinear(8, 16), nn.ReLU(), QuantLinear(16, 3)).to(device)
    calibrate(net, torch.rand(32, 8, device=device))
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for _ in range(4):
        x = torch.rand(16, 8, device=device)
        loss = F.cross_entropy(net(x), x[:, :3].argmax(dim=1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    assert net[0].weight.grad.abs().sum() > 0


if __name__ == "__main__":
    main()
