import torch
from torch import nn

import models  # noqa: F401
from device import auto_device, move
from registry import build


def main():
    device = auto_device()
    for name in ("gated", "fourier"):
        net = move(build(name), device)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _ in range(2):
            batch = {"x": torch.randn(4, 2, 7), "y": torch.randint(0, 3, (4,)), "meta": [torch.zeros(1), "id"]}
            batch = move(batch, device)
            loss = nn.functional.cross_entropy(net(batch["x"]), batch["y"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(name, loss.item())


if __name__ == "__main__":
    main()
