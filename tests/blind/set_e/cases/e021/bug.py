import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--no-cuda", action="store_true")


class Glow(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.w = nn.Parameter(torch.linalg.qr(torch.randn(d, d))[0])
        self.s = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        z = (x * self.s.exp()) @ self.w
        return z, self.s.sum() + torch.linalg.slogdet(self.w)[1]


def prior(z):
    return -0.5 * z.pow(2).sum(1)


def main():
    args = parser.parse_args()
    use_cuda = torch.cuda.is_available() and not args.no_cuda
    device = torch.device("cuda" if use_cuda else "cpu")
    model = Glow().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        x = torch.cuda.FloatTensor(16, 4).normal_()
        z, logdet = model(x)
        loss = -(prior(z) + logdet).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
