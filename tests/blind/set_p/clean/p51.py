import argparse

import torch
import torch.nn as nn


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    args.cuda = torch.cuda.is_available() and not args.no_cuda
    return args


class Mixture(nn.Module):
    def __init__(self, comps=3):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(comps, 2))
        self.log_w = nn.Parameter(torch.zeros(comps))

    def forward(self, x):
        sq = (x[:, None] - self.mu).pow(2).sum(dim=2)
        return -torch.logsumexp(self.log_w.log_softmax(0) - 0.5 * sq, dim=1).mean()


def sample(args, n=64):
    x = torch.randn(n, 2) + 3 * torch.randint(2, (n, 1))
    if args.cuda:
        x = x.cuda(args.gpu)
    return x


def main():
    args = parse()
    model = Mixture()
    if args.cuda:
        model.cuda(args.gpu)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-2)
    for step in range(args.steps):
        x = sample(args)
        optimizer.zero_grad()
        nll = model(x)
        nll.backward()
        optimizer.step()
    print("nll", nll.item())
    centers = model.mu.detach().cpu().numpy()
    print(centers.round(2).tolist())


if __name__ == "__main__":
    main()
