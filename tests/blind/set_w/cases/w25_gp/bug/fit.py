import torch
from gp import ExactGP
from kernels import RBF


def fit(model, x, y, iters=5, hooks=()):
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(iters):
        opt.zero_grad()
        loss = model.nll(x, y) / len(x)
        loss.backward()
        opt.step()
        for hook in hooks:
            hook()
    return model


if __name__ == "__main__":
    x = torch.rand(20, 2)
    y = torch.sin(3 * x[:, 0]) + 0.1 * torch.randn(20)
    kern = RBF(2)
    fit(ExactGP(kern), x, y, hooks=[kern.project])
