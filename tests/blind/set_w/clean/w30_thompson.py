import numpy as np
import torch
from torch import nn


class NeuralLinear:
    """Bayesian linear regression in numpy over features learnt by a network."""

    def __init__(self, d, arms, feat=8, device=None):
        self.device = device or torch.device("cpu")
        self.body = nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, feat)).to(self.device)
        self.head = nn.Linear(feat, arms).to(self.device)
        self.opt = torch.optim.Adam([*self.body.parameters(), *self.head.parameters()], lr=1e-2)
        self.A = [np.eye(feat) for _ in range(arms)]
        self.b = [np.zeros(feat) for _ in range(arms)]
        self.rng = np.random.default_rng(0)
        self.history = []

    def features(self, context):
        with torch.no_grad():
            z = self.body(torch.as_tensor(context, dtype=torch.float32, device=self.device))
        return z.double().cpu().numpy()

    def act(self, context):
        z = self.features(context)
        scores = []
        for A, b in zip(self.A, self.b):
            inv = np.linalg.inv(A)
            scores.append(z @ self.rng.multivariate_normal(inv @ b, 0.1 * inv))
        return int(np.argmax(scores))

    def observe(self, context, arm, reward):
        z = self.features(context)
        self.A[arm] += np.outer(z, z)
        self.b[arm] += reward * z
        self.history.append((context, arm, reward))

    def refit(self, steps=3):
        ctx, arm, rew = zip(*self.history)
        x = torch.from_numpy(np.stack(ctx).astype(np.float32)).to(self.device)
        a = torch.tensor(arm).to(self.device)
        r = torch.tensor(rew, dtype=torch.float32).to(self.device)
        for _ in range(steps):
            pred = self.head(self.body(x)).gather(1, a[:, None]).squeeze(1)
            loss = (pred - r).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()


rng = np.random.default_rng(1)
truth = rng.normal(size=(3, 5))
agent = NeuralLinear(5, 3, device=torch.device("cuda" if torch.cuda.is_available() else "cpu"))
regret = 0.0
for t in range(20):
    c = rng.normal(size=5)
    k = agent.act(c)
    means = truth @ c
    regret += means.max() - means[k]
    agent.observe(c, k, means[k] + 0.1 * rng.normal())
    if t % 10 == 9:
        print(t, agent.refit(), regret)
