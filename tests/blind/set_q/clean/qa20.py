import torch
import torch.nn as nn
import torch.nn.functional as F


class FixedPoint(nn.Module):
    """Deep equilibrium layer, gradient by the implicit function theorem."""

    def __init__(self, cell, iters=30, tol=1e-4):
        super().__init__()
        self.cell, self.iters, self.tol = cell, iters, tol

    def solve(self, f, z):
        for _ in range(self.iters):
            new = f(z)
            done = (new - z).norm() < self.tol * new.norm()
            z = new
            if done:
                break
        return z

    def forward(self, x):
        with torch.no_grad():
            z = self.solve(lambda z: self.cell(z, x), torch.zeros_like(x))
        z = self.cell(z, x)
        if z.requires_grad:
            z0 = z.detach().requires_grad_()
            f0 = self.cell(z0, x)

            def hook(grad):
                return self.solve(lambda g: torch.autograd.grad(f0, z0, g, retain_graph=True)[0] + grad, grad)

            z.register_hook(hook)
        return z


class Cell(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(dim, dim)
        with torch.no_grad():
            self.w.weight.mul_(0.3)

    def forward(self, z, x):
        return torch.tanh(self.w(z) + x)


class Model(nn.Module):
    def __init__(self, i=6, d=16, o=2):
        super().__init__()
        self.inp, self.eq, self.out = nn.Linear(i, d), FixedPoint(Cell(d)), nn.Linear(d, o)

    def forward(self, x):
        return self.out(self.eq(self.inp(x)))


if __name__ == "__main__":
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model = Model().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    x = torch.randn(64, 6).to(device)
    y = (x.sum(1) > 0).long()
    for _ in range(15):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        acc = (model(x).argmax(-1) == y).float().mean()
    print(loss.item(), acc.item())
