"""DARTS-style search: weights and architecture have separate optimizers."""
import torch
from torch import nn
from torch.nn import functional as F


class MixedOp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ops = nn.ModuleList([nn.Identity(), nn.Conv1d(c, c, 3, padding=1), nn.AvgPool1d(3, 1, 1)])

    def forward(self, x, w):
        return sum(a * op(x) for a, op in zip(w, self.ops))


class SuperNet(nn.Module):
    def __init__(self, c=4, cells=2, classes=3):
        super().__init__()
        self.stem = nn.Conv1d(1, c, 3, padding=1)
        self.cells = nn.ModuleList(MixedOp(c) for _ in range(cells))
        self.fc = nn.Linear(c, classes)
        self.alphas = nn.Parameter(1e-3 * torch.randn(cells, 3))

    def forward(self, x, tau=1.0):
        x = self.stem(x)
        for cell, a in zip(self.cells, F.gumbel_softmax(self.alphas, tau=tau, hard=True)):
            x = torch.relu(cell(x, a))
        return self.fc(x.mean(-1))

    def weights(self):
        return [p for n, p in self.named_parameters() if n != "alphas"]

    def genotype(self):
        return self.alphas.argmax(-1).tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = SuperNet().to(device)
    opt_w = torch.optim.SGD(net.weights(), lr=0.05, momentum=0.9)
    opt_a = torch.optim.Adam([net.alphas], lr=3e-3)
    for step in range(3):
        for opt, split in ((opt_a, "val"), (opt_w, "train")):
            x, y = torch.randn(4, 1, 8, device=device), torch.randint(0, 3, (4,), device=device)
            for o in (opt_w, opt_a):
                o.zero_grad()
            loss = F.cross_entropy(net(x, tau=1.0 / (step + 1)), y)
            loss.backward()
            opt.step()
            print(split, loss.item())
    print(net.genotype())


if __name__ == "__main__":
    main()
