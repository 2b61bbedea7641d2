from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

PER_SAMPLE = {
    "mse": partial(F.mse_loss, reduction="none"),
    "huber": partial(F.smooth_l1_loss, reduction="none"),
}


class PrioritizedBuffer:
    def __init__(self, size, obs_dim, alpha=0.6, beta=0.4):
        self.obs = torch.randn(size, obs_dim)
        self.ret = self.obs.sum(1)
        self.priority = np.ones(size)
        self.alpha, self.beta = alpha, beta

    def sample(self, n):
        p = self.priority ** self.alpha
        p = p / p.sum()
        idx = np.random.choice(len(p), n, p=p)
        weights = (len(p) * p[idx]) ** -self.beta
        weights = torch.as_tensor(weights / weights.max(), dtype=torch.float32)
        rows = torch.as_tensor(idx)
        return rows, self.obs[rows], self.ret[rows], weights

    def update(self, rows, errors):
        self.priority[rows.numpy()] = errors.abs().cpu().numpy() + 1e-3


class Critic(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, obs):
        return self.net(obs).squeeze(-1)


def compute(critic, batch, kind="huber", decay=1e-4):
    _, obs, ret, weights = batch
    value = critic(obs)
    terms = {"td": weights * PER_SAMPLE[kind](value, ret)}
    terms["l2"] = decay * sum(p.pow(2).sum() for p in critic.parameters())
    return terms, (ret - value).detach()


def main(steps=20):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    buffer = PrioritizedBuffer(200, 6)
    critic = Critic(6).to(device)
    optimizer = torch.optim.Adam(critic.parameters(), lr=3e-3)
    for step in range(steps):
        batch = [t.to(device) for t in buffer.sample(32)]
        terms, errors = compute(critic, batch)
        optimizer.zero_grad()
        sum(terms.values()).backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        optimizer.step()
        buffer.update(batch[0].cpu(), errors)
    print("mean error", errors.abs().mean().item())


main()
