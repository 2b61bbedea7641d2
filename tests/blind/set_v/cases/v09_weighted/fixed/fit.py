import torch
from torch import nn

from losses import Criterion


class Head(nn.Module):
    def __init__(self, dim=16, classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.GELU())
        self.box = nn.Linear(dim, 4)
        self.cls = nn.Linear(dim, classes)

    def forward(self, x):
        z = self.body(x)
        return {"box": self.box(z).sigmoid(), "cls": self.cls(z)}


def main():
    net = Head()
    criterion = Criterion({"box": 5.0, "cls": 1.0})
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for epoch in range(3):
        x = torch.randn(12, 16)
        targets = {"box": torch.rand(12, 4), "cls": torch.randint(0, 3, (12,))}
        loss, terms = criterion(net(x), targets)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(epoch, {k: v.mean().item() for k, v in terms.items()})


if __name__ == "__main__":
    main()
