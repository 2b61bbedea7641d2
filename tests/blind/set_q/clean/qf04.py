import torch
import torch.nn as nn


class EvolutionStrategy:
    """Antithetic perturbations of a policy, the gradient is estimated and handed to an ordinary optimizer."""

    def __init__(self, model, sigma=0.1, pairs=8, lr=0.05):
        self.model, self.sigma, self.pairs = model, sigma, pairs
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.device = next(model.parameters()).device

    def vector(self):
        return nn.utils.parameters_to_vector(self.model.parameters()).detach()

    def load(self, vec):
        i = 0
        with torch.no_grad():
            for p in self.model.parameters():
                p.copy_(vec[i:i + p.numel()].view_as(p))
                i += p.numel()

    def ranks(self, f):
        r = torch.empty_like(f)
        r[f.argsort()] = torch.arange(len(f), dtype=f.dtype, device=f.device)
        return r / (len(f) - 1) - 0.5

    @torch.no_grad()
    def step(self, fitness):
        base = self.vector().clone()
        noise = torch.randn(self.pairs, len(base), device=self.device)
        scores = []
        for sign in (1, -1):
            for e in noise:
                self.load(base + sign * self.sigma * e)
                scores.append(fitness(self.model))
        self.load(base)
        scores = torch.stack(scores)
        shaped = self.ranks(scores)
        plus, minus = shaped.chunk(2)
        grad = -((plus - minus).unsqueeze(1) * noise).mean(0) / self.sigma
        self.opt.zero_grad()
        i = 0
        for p in self.model.parameters():
            p.grad = grad[i:i + p.numel()].view_as(p).clone()
            i += p.numel()
        self.opt.step()
        return scores.mean()


def fitness_on(x, y):
    return lambda m: -(m(x).squeeze(1).round() - y).abs().mean()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    x = torch.randn(100, 3, device=device)
    y = x.sum(1).round()
    es = EvolutionStrategy(net)
    curve = torch.stack([es.step(fitness_on(x, y)) for _ in range(15)])
    print(curve.cpu().numpy().round(2))
