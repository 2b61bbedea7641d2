import torch
from torch import nn

torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")


class Hopfield(nn.Module):
    def __init__(self, n, patterns):
        super().__init__()
        self.register_buffer("w", torch.zeros(n, n))
        self.learn(patterns)

    def learn(self, patterns):
        w = torch.zeros_like(self.w)
        for p in patterns:
            w += torch.outer(p, p)
        self.w = w.fill_diagonal_(0) / len(patterns)

    def forward(self, x, steps=3):
        for _ in range(steps):
            x = torch.where(self.w @ x >= 0, torch.tensor(1.0), torch.tensor(-1.0))
        return x


def main():
    patterns = torch.randn(3, 10).sign()
    net = Hopfield(10, patterns)
    noisy = patterns[0] * torch.where(torch.rand(10) < 0.2, -1.0, 1.0)
    print((net(noisy) == patterns[0]).float().mean().item())
    encoder = nn.Linear(10, 4)
    mask = torch.ones(4)
    print((encoder(noisy) * mask).sum().item())


if __name__ == "__main__":
    main()
