import torch
import torch.nn as nn


def gradient(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


class Poisson:
    """u'' = -pi^2 sin(pi x), u(0) = u(1) = 0."""

    def __init__(self, n, device):
        self.x = torch.linspace(0, 1, n, device=device).unsqueeze(1).requires_grad_(True)
        self.ends = torch.tensor([[0.0], [1.0]], device=device)

    def loss(self, model):
        u = model(self.x)
        uxx = gradient(gradient(u, self.x), self.x)
        residual = uxx + torch.pi**2 * torch.sin(torch.pi * self.x)
        return residual.pow(2).mean() + 100 * model(self.ends).pow(2).mean()


def train(model, problem, adam_steps=3, lbfgs_steps=2):
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(adam_steps):
        adam.zero_grad()
        loss = problem.loss(model)
        loss.backward()
        adam.step()
    lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=4, line_search_fn="strong_wolfe")

    def closure():
        lbfgs.zero_grad()
        value = problem.loss(model)
        value.backward()
        return value

    for _ in range(lbfgs_steps):
        final = lbfgs.step(closure)
    return final.detach().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)).to(device)
print(train(net, Poisson(32, device)))
