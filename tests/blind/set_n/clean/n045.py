import torch
from torch import nn


class RBFKernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_len = nn.Parameter(torch.zeros(()))
        self.log_amp = nn.Parameter(torch.zeros(()))

    def forward(self, a, b):
        d2 = torch.cdist(a, b).pow(2)
        return self.log_amp.exp() * torch.exp(-0.5 * d2 / self.log_len.exp() ** 2)


class GP(nn.Module):
    def __init__(self, x, y):
        super().__init__()
        self.kernel = RBFKernel()
        self.log_noise = nn.Parameter(torch.tensor(-2.0))
        self.register_buffer("x", x)
        self.register_buffer("y", y)

    def chol(self):
        eye = torch.eye(len(self.x), dtype=self.x.dtype, device=self.x.device)
        return torch.linalg.cholesky(self.kernel(self.x, self.x) + (self.log_noise.exp() + 1e-4) * eye)

    def nll(self):
        L = self.chol()
        alpha = torch.cholesky_solve(self.y.unsqueeze(1), L).squeeze(1)
        return 0.5 * self.y @ alpha + L.diagonal().log().sum()

    @torch.no_grad()
    def predict(self, xs):
        L = self.chol()
        alpha = torch.cholesky_solve(self.y.unsqueeze(1), L)
        return (self.kernel(xs, self.x) @ alpha).squeeze(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 5, 20).unsqueeze(1)
gp = GP(x, torch.sin(x[:, 0]) + 0.1 * torch.randn(20)).to(device)
opt = torch.optim.LBFGS(gp.parameters(), lr=0.1, max_iter=5)


def closure():
    opt.zero_grad()
    loss = gp.nll()
    loss.backward()
    return loss


for _ in range(3):
    value = opt.step(closure)
print(value.item(), gp.predict(torch.tensor([[2.5]], device=device)).item())
