"""Kalman-like latent fit by hand: no modules, no torch.optim."""
import math

import torch


class Parameters(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as exc:
            raise AttributeError(name) from exc

    def zero(self):
        for p in self.values():
            p.grad = None


def init(dim, seed=0):
    g = torch.Generator().manual_seed(seed)
    make = lambda *s: (torch.randn(*s, generator=g) / math.sqrt(s[-1])).requires_grad_()
    return Parameters(
        transition=make(dim, dim),
        emission=make(1, dim),
        start=torch.zeros(dim, requires_grad=True),
        log_noise=torch.tensor(0.0, requires_grad=True),
    )


def unroll(p, steps):
    z = p.start + 1.0
    out = []
    for _ in range(steps):
        z = torch.tanh(p.transition @ z)
        out.append(p.emission @ z)
    return torch.cat(out)


def nll(p, series):
    var = p.log_noise.exp()
    return 0.5 * ((series - unroll(p, len(series))) ** 2 / var + p.log_noise).mean()


class Momentum:
    def __init__(self, params, lr, beta=0.9):
        self.params, self.lr, self.beta = params, lr, beta
        self.velocity = {k: torch.zeros_like(v, requires_grad=False) for k, v in params.items()}

    @torch.no_grad()
    def step(self):
        for k, p in self.params.items():
            v = self.velocity[k]
            v.mul_(self.beta).add_(p.grad)
            p -= self.lr * v
        self.params["log_noise"].clamp_(-4.0, 4.0)


def project(params, radius=1.5):
    with torch.no_grad():
        w = params.transition
        norm = torch.linalg.matrix_norm(w, 2)
        if norm > radius:
            w *= radius / norm


def fit(series, dim=4, steps=20, lr=0.05):
    params = init(dim)
    opt = Momentum(params, lr)
    history = []
    for _ in range(steps):
        params.zero()
        loss = nll(params, series)
        loss.backward()
        opt.step()
        project(params)
        history.append(float(loss.detach()))
    return params, history


if __name__ == "__main__":
    target = torch.sin(torch.linspace(0, 6, 15))
    params, history = fit(target)
    snapshot = {k: v.detach().numpy().round(2) for k, v in params.items()}
    print(history[0], history[-1], snapshot["start"])
