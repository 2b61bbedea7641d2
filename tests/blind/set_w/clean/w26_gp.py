import torch
from torch import nn
from torch.nn import functional as F


class Matern32(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw_ell = nn.Parameter(torch.tensor(0.0))
        self.raw_amp = nn.Parameter(torch.tensor(0.0))

    @property
    def ell(self):
        return F.softplus(self.raw_ell)

    def forward(self, a, b):
        r = ((a[:, None] - b[None]).pow(2).sum(-1) + 1e-10).sqrt() * (3 ** 0.5) / self.ell
        return F.softplus(self.raw_amp) * (1 + r) * torch.exp(-r)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = Matern32()
        self.raw_noise = nn.Parameter(torch.tensor(-2.0))
        self.train_x = self.train_y = None

    def condition(self, x, y):
        self.train_x, self.train_y = x, y
        return self

    def _factor(self):
        k = self.kernel(self.train_x, self.train_x)
        noise = F.softplus(self.raw_noise) + 1e-4
        k = k + torch.diag_embed(noise.expand(len(k)))
        return torch.linalg.cholesky(k)

    def objective(self):
        chol = self._factor()
        z = torch.linalg.solve_triangular(chol, self.train_y[:, None], upper=False)
        return 0.5 * z.pow(2).sum() + chol.diagonal().log().sum()

    @torch.no_grad()
    def predict(self, x):
        chol = self._factor()
        ks = self.kernel(self.train_x, x)
        v = torch.linalg.solve_triangular(chol, ks, upper=False)
        z = torch.linalg.solve_triangular(chol, self.train_y[:, None], upper=False)
        mean = (v.t() @ z).squeeze(-1)
        var = self.kernel(x, x).diagonal() - v.pow(2).sum(0)
        return mean, var.clamp_min_(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 25, device=device)[:, None]
y = torch.sin(6 * x[:, 0])
gp = Regressor().to(device).condition(x, y)
lbfgs = torch.optim.LBFGS(gp.parameters(), lr=0.1, max_iter=4)


def closure():
    lbfgs.zero_grad()
    loss = gp.objective()
    loss.backward()
    return loss


for _ in range(3):
    value = lbfgs.step(closure)
mean, var = gp.predict(torch.rand(5, 1, device=device))
print(value.detach().item(), mean.tolist(), var.sqrt().tolist())
