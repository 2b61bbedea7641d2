import torch
import torch.nn as nn


class RBFKernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_len = nn.Parameter(torch.tensor(0.0))
        self.log_var = nn.Parameter(torch.tensor(0.0))

    def forward(self, a, b):
        d2 = (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(-1)
        return self.log_var.exp() * torch.exp(-0.5 * d2 / self.log_len.exp() ** 2)


class ExactGP(nn.Module):
    def __init__(self, x, y):
        super().__init__()
        self.kernel = RBFKernel()
        self.log_noise = nn.Parameter(torch.tensor(-2.0))
        self.register_buffer("x", x)
        self.register_buffer("y", y)
        self._cache = None

    def cov(self):
        n = self.x.shape[0]
        K = self.kernel(self.x, self.x)
        return K + (self.log_noise.exp() + 1e-3) * torch.eye(n, device=K.device, dtype=K.dtype)

    def neg_mll(self):
        self._cache = None
        L = torch.linalg.cholesky(self.cov())
        alpha = torch.cholesky_solve(self.y.unsqueeze(1), L)
        fit = 0.5 * (self.y.unsqueeze(0) @ alpha).squeeze()
        return fit + L.diagonal().log().sum()

    @torch.no_grad()
    def posterior(self, xs):
        if self._cache is None or self._cache[0].device != xs.device:
            L = torch.linalg.cholesky(self.cov())
            self._cache = L, torch.cholesky_solve(self.y.unsqueeze(1), L)
        L, alpha = self._cache
        Ks = self.kernel(self.x, xs)
        v = torch.linalg.solve_triangular(L, Ks, upper=False)
        return (Ks.t() @ alpha).squeeze(1), self.kernel(xs, xs).diagonal() - v.pow(2).sum(0)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.rand(30, 1) * 6
    y = x.sin().squeeze(1) + 0.1 * torch.randn(30)
    gp = ExactGP(x, y).to(device)
    opt = torch.optim.LBFGS(gp.parameters(), max_iter=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = gp.neg_mll()
        loss.backward()
        return loss

    for _ in range(2):
        loss = opt.step(closure)
    xs = torch.linspace(0, 6, 25, device=device).unsqueeze(1)
    mean, var = gp.posterior(xs)
    err = (mean - xs.squeeze(1).sin()).abs().max()
    print(loss.item(), err.item(), var.clamp(min=0).sqrt().cpu().numpy().max())


if __name__ == "__main__":
    main()
