"""Deep ensembles: members in a plain list, each with its own optimizer."""
import torch
from torch import nn


def member():
    return nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2))


class Ensemble:
    def __init__(self, n, device, lr=1e-2):
        self.device = device
        self.members = [member().to(device) for _ in range(n)]
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=lr) for m in self.members]

    def fit(self, x, y, epochs=2):
        x, y = x.to(self.device), y.to(self.device)
        for _ in range(epochs):
            for model, opt in zip(self.members, self.optimizers):
                idx = torch.randint(0, len(x), (len(x),), device=self.device)
                mean, raw = model(x[idx]).chunk(2, dim=-1)
                var = nn.functional.softplus(raw) + 1e-4
                loss = nn.functional.gaussian_nll_loss(mean, y[idx], var)
                opt.zero_grad()
                loss.backward()
                opt.step()

    @torch.no_grad()
    def predict(self, x):
        outs = [m(x.to(self.device)) for m in self.members]
        means = torch.stack([o[:, :1] for o in outs])
        variances = torch.stack([nn.functional.softplus(o[:, 1:]) + 1e-4 for o in outs])
        mean = means.mean(0)
        total = (variances + means.pow(2)).mean(0) - mean.pow(2)
        return mean.cpu(), total.clamp(min=0).sqrt().cpu()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.linspace(-2, 2, 32).unsqueeze(1)
    y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
    ens = Ensemble(3, device)
    ens.fit(x, y)
    mean, std = ens.predict(x)
    print(((mean - y).abs() < 2 * std).float().mean().item(), mean.numpy().shape)
