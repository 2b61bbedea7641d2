import torch
import torch.nn as nn

torch.manual_seed(1)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Field(nn.Module):
    def __init__(self, width=20, depth=3):
        super().__init__()
        dims = [2] + [width] * depth + [1]
        self.lin = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))

    def forward(self, x, t):
        h = torch.cat([x, t], dim=1)
        for l in self.lin[:-1]:
            h = torch.tanh(l(h))
        return self.lin[-1](h)


def d(y, x):
    """first derivative, kept differentiable"""
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


def collocation(n):
    x = (2 * torch.rand(n, 1, device=dev) - 1).requires_grad_(True)
    t = torch.rand(n, 1, device=dev).requires_grad_(True)
    return x, t


class Burgers:
    def __init__(self, nu=0.01):
        self.nu = nu
        self.u = Field().to(dev)
        self.log_w = nn.Parameter(torch.zeros(2, device=dev))
        self.history = []

    def residual(self, x, t):
        u = self.u(x, t)
        u_x = d(u, x)
        u_t = d(u, t)
        u_xx = d(u_x, x)
        return u_t + u * u_x - self.nu * u_xx

    def initial(self, n):
        x = 2 * torch.rand(n, 1, device=dev) - 1
        return self.u(x, torch.zeros_like(x)) + torch.sin(torch.pi * x)

    def loss(self):
        terms = torch.stack([self.residual(*collocation(64)).square().mean(), self.initial(32).square().mean()])
        return (terms * torch.exp(-self.log_w) + self.log_w).sum()

    def adam(self, steps):
        opt = torch.optim.Adam([{"params": self.u.parameters()}, {"params": [self.log_w], "lr": 1e-2}], lr=1e-3)
        for _ in range(steps):
            opt.zero_grad()
            loss = self.loss()
            loss.backward()
            opt.step()
            self.history.append(loss.detach())

    def lbfgs(self, steps):
        opt = torch.optim.LBFGS(self.u.parameters(), max_iter=3, line_search_fn="strong_wolfe")
        x, t = collocation(64)

        def closure():
            opt.zero_grad()
            loss = self.residual(x, t).square().mean() + self.initial(32).square().mean()
            loss.backward()
            return loss

        for _ in range(steps):
            opt.step(closure)


solver = Burgers()
solver.adam(8)
solver.lbfgs(2)
print(torch.stack(solver.history).cpu().numpy().round(3))
