import torch
import torch.nn as nn
import torch.nn.functional as F


class Reweighter:
    """Gives a weight to every example from the age of its label."""

    def __init__(self, half_life):
        self.half_life = half_life

    def __call__(self, age):
        w = 0.5 ** (age / self.half_life)
        return w / w.sum()


class Drift(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.lin = nn.Linear(d, 16)
        self.out = nn.Linear(16, 1)
        self.log_lambda = nn.Parameter(torch.tensor(-2.0))

    def forward(self, x):
        return self.out(torch.tanh(self.lin(x))).squeeze(1)

    def sensitivity(self, x):
        x = x.detach().requires_grad_(True)
        y = self(x)
        (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=self.training)
        return g.pow(2).sum(1)


def update(model, opt, x, y, weights):
    each = F.mse_loss(model(x), y, reduction="none") + model.log_lambda.exp() * model.sensitivity(x)
    opt.zero_grad()
    each.backward(gradient=weights)
    opt.step()
    return (each.detach() * weights).sum().item()


def stream(n, device):
    w = torch.randn(6, device=device)
    for _ in range(n):
        w = w + 0.05 * torch.randn_like(w)
        x = torch.randn(32, 6, device=device)
        yield x, x @ w, torch.arange(32, device=device).float()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Drift().to(device)
    opt = torch.optim.Adam([
        {"params": [*model.lin.parameters(), *model.out.parameters()]},
        {"params": [model.log_lambda], "lr": 1e-4},
    ], lr=5e-3)
    weigh = Reweighter(10.0)
    for i, (x, y, age) in enumerate(stream(5, device)):
        print(i, update(model, opt, x, y, weigh(age)))
    model.eval()
    print("sensitivity", model.sensitivity(x).mean().item())


main()
