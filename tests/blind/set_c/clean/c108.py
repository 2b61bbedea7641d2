import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fit_polynomial(x, y, degree=3, lr=1e-2, iters=20):
    powers = torch.arange(degree + 1, device=x.device)
    basis = x.unsqueeze(1) ** powers
    coef = torch.zeros(degree + 1, device=x.device, requires_grad=True)
    for i in range(iters):
        residual = basis @ coef - y
        loss = residual.pow(2).mean()
        loss.backward()
        with torch.no_grad():
            coef -= lr * coef.grad
            coef.clamp_(-5, 5)
        coef.grad.zero_()
    return coef.detach()


def newton(f, x0, steps=5):
    x = x0.clone().requires_grad_(True)
    for _ in range(steps):
        y = f(x)
        (g,) = torch.autograd.grad(y.sum(), x)
        x = (x - y.detach() / g).detach().requires_grad_(True)
    return x.detach()


if __name__ == "__main__":
    x = torch.linspace(-1, 1, 50, device=device)
    coef = fit_polynomial(x, torch.sin(3 * x))
    print(coef.cpu().numpy().round(3))
    print(newton(lambda v: v**2 - 2, torch.ones(3, device=device)).tolist())
