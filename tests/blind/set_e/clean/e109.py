"""Model parallel: two halves that may live on different devices."""
import torch
from torch import nn


def devices():
    if torch.cuda.device_count() >= 2:
        return torch.device("cuda:0"), torch.device("cuda:1")
    only = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return only, only


class Split(nn.Module):
    def __init__(self, d=6, h=12, out=3):
        super().__init__()
        self.dev0, self.dev1 = devices()
        self.front = nn.Sequential(nn.Linear(d, h), nn.ReLU()).to(self.dev0)
        self.back = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, out)).to(self.dev1)

    def forward(self, x):
        h = self.front(x.to(self.dev0))
        return self.back(h.to(self.dev1))


def main():
    model = Split()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
        out = model(x)
        loss = nn.functional.cross_entropy(out, y.to(out.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), out.argmax(1).cpu().eq(y).float().mean().item())


if __name__ == "__main__":
    main()
