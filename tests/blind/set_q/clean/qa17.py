import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PINN(nn.Module):
    def __init__(self, width=24, depth=3):
        super().__init__()
        dims = [2] + [width] * depth + [1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, x, t):
        h = torch.cat([x, t], 1)
        for layer in self.layers[:-1]:
            h = torch.tanh(layer(h))
        return self.layers[-1](h)


def d(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual(model, x, t, nu=0.05):
    u = model(x, t)
    u_x, u_t = torch.autograd.grad(u, (x, t), torch.ones_like(u), create_graph=True)
    return u_t + u * u_x - nu * d(u_x, x)


def collocation(n):
    x = torch.rand(n, 1, device=device) * 2 - 1
    t = torch.rand(n, 1, device=device)
    return x.requires_grad_(), t.requires_grad_()


def main():
    model = PINN().to(device)
    xi = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
    ui = -torch.sin(torch.pi * xi)
    t0 = torch.zeros_like(xi)
    xb = torch.tensor([[-1.0], [1.0]], device=device).repeat(10, 1)

    adam = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(20):
        adam.zero_grad()
        loss = residual(model, *collocation(64)).square().mean() + (model(xi, t0) - ui).square().mean()
        loss.backward()
        adam.step()

    xf, tf = collocation(64)
    tb = torch.rand(20, 1, device=device)
    lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=8, line_search_fn="strong_wolfe")

    def closure():
        lbfgs.zero_grad()
        total = residual(model, xf, tf).square().mean()
        total = total + (model(xi, t0) - ui).square().mean() + model(xb, tb).square().mean()
        total.backward()
        return total

    for _ in range(2):
        last = lbfgs.step(closure)
    print(float(last.detach()))


main()
