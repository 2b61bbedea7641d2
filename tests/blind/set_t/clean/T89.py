# %% Gaussian process regression by hand
import math
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% data
x = torch.sort(torch.rand(30) * 6).values
y = torch.sin(x) + 0.3 * torch.cos(3 * x) + 0.1 * torch.randn(30)
x, y = x.to(device), y.to(device)
grid = torch.linspace(0, 6, 50, device=device)

# %% hyperparameters (log scale)
log_length = torch.zeros((), device=device, requires_grad=True)
log_signal = torch.zeros((), device=device, requires_grad=True)
log_noise = torch.full((), -1.0, device=device, requires_grad=True)
optimizer = torch.optim.Adam([log_length, log_signal, log_noise], lr=0.1)
eye = torch.eye(len(x), device=device)
d2 = (x[:, None] - x[None]) ** 2

# %% marginal likelihood
trace = []
for it in range(25):
    k = (2 * log_signal).exp() * torch.exp(-0.5 * d2 / (2 * log_length).exp())
    chol = torch.linalg.cholesky(k + ((2 * log_noise).exp() + 1e-8) * eye)
    alpha = torch.cholesky_solve(y[:, None], chol).squeeze(1)
    nll = 0.5 * y @ alpha + chol.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)
    optimizer.zero_grad()
    nll.backward()
    optimizer.step()
    with torch.no_grad():
        log_noise.clamp_(min=-4)
    trace.append(nll.detach())
print(torch.stack(trace[::8]).tolist())

# %% posterior
with torch.no_grad():
    length, signal, noise = log_length.exp(), log_signal.exp(), log_noise.exp()
    k = signal ** 2 * torch.exp(-0.5 * d2 / length ** 2) + noise ** 2 * eye
    cross = signal ** 2 * torch.exp(-0.5 * (grid[:, None] - x[None]) ** 2 / length ** 2)
    chol = torch.linalg.cholesky(k)
    mean = cross @ torch.cholesky_solve(y[:, None], chol).squeeze(1)
    v = torch.linalg.solve_triangular(chol, cross.t(), upper=False)
    std = (signal ** 2 - v.square().sum(0)).clamp(min=0).sqrt()
lower, upper = (mean - 2 * std).cpu().numpy(), (mean + 2 * std).cpu().numpy()
print(length.item(), signal.item(), noise.item())
print("band", (upper - lower).mean())
