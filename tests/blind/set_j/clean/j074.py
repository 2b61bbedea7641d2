import torch
import torch.nn as nn


def euler(f, y, t0, t1, n):
    h = (t1 - t0) / n
    for i in range(n):
        y = tuple(a + h * b for a, b in zip(y, f(t0 + i * h, y)))
    return y


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, n, *params):
        with torch.no_grad():
            (y1,) = euler(lambda t, y: (func(t, y[0]),), (y0,), 0.0, 1.0, n)
        ctx.func, ctx.n = func, n
        ctx.save_for_backward(y1, *params)
        return y1

    @staticmethod
    def backward(ctx, grad):
        y1, *params = ctx.saved_tensors

        def dynamics(t, state):
            y, a = state[:2]
            with torch.enable_grad():
                y = y.detach().requires_grad_(True)
                f = ctx.func(t, y)
                gy, *gp = torch.autograd.grad(f, [y, *params], -a, allow_unused=True)
            gp = [torch.zeros_like(p) if g is None else g for p, g in zip(params, gp)]
            return (f.detach(), gy, *gp)

        start = (y1, grad, *[torch.zeros_like(p) for p in params])
        _, gy0, *gp = euler(dynamics, start, 1.0, 0.0, ctx.n)
        return (None, gy0, None, *gp)


class Field(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 16), nn.Tanh(), nn.Linear(16, d))

    def forward(self, t, y):
        return self.net(y)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
field = Field().to(device)
opt = torch.optim.Adam(field.parameters(), lr=1e-2)
for _ in range(3):
    y0 = torch.randn(8, 2, device=device)
    y1 = Adjoint.apply(field, y0, 10, *field.parameters())
    loss = (y1 - y0.flip(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
