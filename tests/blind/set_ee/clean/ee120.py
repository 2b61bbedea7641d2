import numpy as np
import torch
import torch.nn as nn


class DropoutRegressor(nn.Module):
    def __init__(self, p=0.2):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(1, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Dropout(p),
            nn.Linear(40, 40), nn.ReLU(), nn.Dropout(p), nn.Linear(40, 2),
        )

    def forward(self, x):
        mean, raw = self.net(x).chunk(2, dim=1)
        return mean, nn.functional.softplus(raw) + 1e-3


def enable_dropout(model):
    model.eval()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.train()


@torch.no_grad()
def mc_predict(model, x, samples):
    enable_dropout(model)
    means, variances = zip(*(model(x) for _ in range(samples)))
    means = torch.stack(means)
    epistemic = means.var(dim=0)
    aleatoric = torch.stack(variances).mean(dim=0)
    return means.mean(dim=0), epistemic, aleatoric


def fit(model, x, y, steps, lr=5e-3):
    nll = nn.GaussianNLLLoss()
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    curve = []
    for _ in range(steps):
        model.train()
        mean, var = model(x)
        loss = nll(mean, y, var)
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(float(loss.detach()))
    return np.asarray(curve)


def main():
    torch.manual_seed(2)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    grid = np.linspace(-3, 3, 80, dtype=np.float32)[:, None]
    noisy = np.sin(grid) + 0.1 * np.random.default_rng(0).normal(size=grid.shape)
    x = torch.from_numpy(grid).to(device)
    y = torch.from_numpy(noisy.astype(np.float32)).to(device)
    model = DropoutRegressor().to(device)
    curve = fit(model, x, y, steps=40)
    probe = torch.linspace(-5, 5, 21, device=device).unsqueeze(1)
    mean, epi, alea = mc_predict(model, probe, samples=10)
    table = np.hstack([t.cpu().numpy() for t in (probe, mean, epi, alea)])
    np.set_printoptions(precision=3, suppress=True)
    print(curve[[0, -1]])
    print(table[::5])


if __name__ == "__main__":
    main()
