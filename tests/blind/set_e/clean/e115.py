"""Evolution strategies; no backward anywhere."""
import copy

import torch
from torch import nn


class ES:
    def __init__(self, model, sigma=0.1, lr=0.05, population=6):
        self.model, self.sigma, self.lr, self.population = model, sigma, lr, population
        for p in model.parameters():
            p.requires_grad_(False)

    def perturb(self, noise, sign):
        clone = copy.deepcopy(self.model)
        for p, n in zip(clone.parameters(), noise):
            p += sign * self.sigma * n
        return clone

    def step(self, fitness):
        noises, scores = [], []
        for _ in range(self.population):
            noise = [torch.randn_like(p) for p in self.model.parameters()]
            scores.append(fitness(self.perturb(noise, 1)) - fitness(self.perturb(noise, -1)))
            noises.append(noise)
        scores = torch.tensor(scores)
        scores = (scores - scores.mean()) / (scores.std() + 1e-8)
        for i, p in enumerate(self.model.parameters()):
            for s, noise in zip(scores.tolist(), noises):
                p.add_(noise[i], alpha=self.lr * s / (self.population * self.sigma))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(32, 3, device=device)
    es = ES(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).to(device))
    fitness = lambda m: -(m(x).squeeze(1) - x[:, 0]).pow(2).mean().item()
    for _ in range(3):
        es.step(fitness)
        print(fitness(es.model))


if __name__ == "__main__":
    main()
