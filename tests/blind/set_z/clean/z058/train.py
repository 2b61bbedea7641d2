import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F

from functions import QuantLinear

log = logging.getLogger("qat")


def swap_linear(module, bits):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            new = QuantLinear(child.in_features, child.out_features, bits, child.bias is not None)
            with torch.no_grad():
                new.weight.copy_(child.weight)
                if child.bias is not None:
                    new.bias.copy_(child.bias)
            setattr(module, name, new)
        else:
            swap_linear(child, bits)
    return module


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bits", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3, bias=False))
    net = swap_linear(net, args.bits).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for i in range(args.steps):
        x = torch.randn(16, 6, device=device)
        loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.info("%d %.4f", i, loss.item())


if __name__ == "__main__":
    main()
