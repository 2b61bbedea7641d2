from typing import NamedTuple

import numpy as np
import torch


class Batch(NamedTuple):
    obs: torch.Tensor
    action: torch.Tensor
    reward: torch.Tensor
    next_obs: torch.Tensor
    weight: torch.Tensor
    index: np.ndarray


class PrioritizedReplay:
    """Everything lives in numpy; only `sample` knows a device."""

    def __init__(self, size, obs_dim, alpha=0.6, beta=0.4, seed=0):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.next_obs = np.zeros((size, obs_dim), np.float32)
        self.action = np.zeros(size, np.int64)
        self.reward = np.zeros(size, np.float32)
        self.priority = np.zeros(size, np.float64)
        self.alpha, self.beta = alpha, beta
        self.n = self.head = 0
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.n

    def add(self, obs, action, reward, next_obs):
        i = self.head
        self.obs[i], self.action[i], self.reward[i], self.next_obs[i] = obs, action, reward, next_obs
        self.priority[i] = self.priority[:self.n].max() if self.n else 1.0
        self.head = (i + 1) % len(self.obs)
        self.n = min(self.n + 1, len(self.obs))

    def sample(self, k, device) -> Batch:
        p = self.priority[:self.n] ** self.alpha
        p /= p.sum()
        idx = self.rng.choice(self.n, k, p=p)
        w = (self.n * p[idx]) ** -self.beta
        w = (w / w.max()).astype(np.float32)
        put = lambda a: torch.from_numpy(a).to(device)
        return Batch(put(self.obs[idx]), put(self.action[idx]), put(self.reward[idx]),
                     put(self.next_obs[idx]), put(w), idx)

    def set_priority(self, idx, value):
        self.priority[idx] = value + 1e-6
