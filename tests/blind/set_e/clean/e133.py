"""Score matching with annealed Langevin sampling."""
import torch
from torch import nn


class Score(nn.Module):
    def __init__(self, d=2, h=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, h), nn.SiLU(), nn.Linear(h, d))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log().expand(len(x), 1)], 1)) / sigma


def dsm(model, x, sigmas):
    i = torch.randint(0, len(sigmas), (len(x),), device=x.device)
    s = sigmas[i].unsqueeze(1)
    noise = torch.randn_like(x)
    pred = torch.cat([model(x[j : j + 1] + s[j] * noise[j], s[j : j + 1]) for j in range(len(x))])
    return (s * pred + noise).square().sum(1).mean() / 2


def sliced(model, x, sigma):
    x = x.clone().requires_grad_(True)
    v = torch.randn_like(x)
    s = model(x, sigma)
    (hv,) = torch.autograd.grad((s * v).sum(), x, create_graph=True)
    return ((hv * v).sum(1) + 0.5 * (s * v).sum(1).square()).mean()


@torch.no_grad()
def langevin(model, n, sigmas, steps=2, eps=1e-3):
    x = torch.rand(n, 2, device=sigmas.device)
    for s in sigmas:
        a = eps * (s / sigmas[-1]) ** 2
        for _ in range(steps):
            x += a / 2 * model(x, s.view(1, 1)) + a.sqrt() * torch.randn_like(x)
    return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sigmas = torch.logspace(0, -2, 4, device=device)
    model = Score().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(3):
        x = torch.randn(6, 2, device=device)
        loss = dsm(model, x, sigmas) if step % 2 else sliced(model, x, sigmas[0].view(1, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    print(langevin(model, 3, sigmas).cpu().tolist())


if __name__ == "__main__":
    main()
