from collections import namedtuple

import torch
from torch import nn

from nested import concat, detach, move

Batch = namedtuple("Batch", "x y meta")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        return {"cls": self.a(h), "reg": self.b(h).squeeze(-1)}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    outputs = []
    for i in range(3):
        batch = Batch(torch.randn(4, 4), {"cls": torch.randint(0, 2, (4,)), "reg": torch.randn(4)}, ["id", i])
        batch = move(batch, device)
        out = net(batch.x)
        loss = nn.functional.cross_entropy(out["cls"], batch.y["cls"]) + nn.functional.mse_loss(out["reg"], batch.y["reg"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outputs.append(move(detach(out), "cpu"))
    merged = concat(outputs)
    print(merged["cls"].numpy().shape, merged["reg"].numpy().mean())


if __name__ == "__main__":
    main()
