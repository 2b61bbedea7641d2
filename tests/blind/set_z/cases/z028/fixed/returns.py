import numpy as np
import torch


def gae(rewards, values, gamma=0.99, lam=0.95):
    """Generalised advantage estimate, backwards over one episode."""
    values = np.append(values, 0.0)
    adv = np.zeros(len(rewards), dtype=np.float32)
    last = 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * values[t + 1] - values[t]
        last = delta + gamma * lam * last
        adv[t] = last
    return adv, adv + values[:-1].astype(np.float32)


def stack_values(steps):
    return torch.stack([s.value for s in steps]).detach().cpu().numpy()
