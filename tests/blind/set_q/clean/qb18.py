import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parametrize


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


class MatrixExp(nn.Module):
    def forward(self, A):
        return torch.matrix_exp(A - A.transpose(-1, -2))


class MaskPrune(nn.Module):
    def __init__(self, weight, amount):
        super().__init__()
        k = int(amount * weight.numel())
        thresh = weight.detach().abs().flatten().kthvalue(max(k, 1)).values
        self.register_buffer("mask", (weight.detach().abs() > thresh).to(weight.dtype))

    def forward(self, w):
        return w * self.mask


def build():
    net = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    parametrize.register_parametrization(net[0], "weight", MatrixExp())
    parametrize.register_parametrization(net[1], "weight", Symmetric())
    return net


def fit(net, x, y, steps, lr=1e-2):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        loss = F.mse_loss(net(x).squeeze(-1), y)
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(100, 8, device=device)
    y = x.square().sum(-1).sqrt()
    net = build().to(device)
    first = fit(net, x, y, 15)
    for layer in (net[3], net[5]):
        parametrize.register_parametrization(layer, "weight", MaskPrune(layer.weight, 0.5))
    second = fit(net, x, y, 10)
    for layer in (net[3], net[5]):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
    Q = net[0].weight
    err = (Q @ Q.t() - torch.eye(8, device=Q.device)).abs().max().item()
    sparsity = [(l.weight == 0).float().mean().item() for l in (net[3], net[5])]
    print(first.item(), second.item(), err < 1e-3, sparsity)


if __name__ == "__main__":
    main()
