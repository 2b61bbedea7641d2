import numpy as np
import torch


def discounted(rewards, gamma):
    out, running = [], 0.0
    for r in reversed(rewards):
        running = r + gamma * running
        out.append(running)
    return np.array(out[::-1], dtype=np.float32)


class Rollout:
    def __init__(self):
        self.log_probs, self.values, self.rewards = [], [], []

    def add(self, log_prob, value, reward):
        self.log_probs.append(log_prob)
        self.values.append(value)
        self.rewards.append(reward)

    def advantages(self, gamma=0.98):
        returns = discounted(self.rewards, gamma)
        values = torch.stack(self.values).cpu().numpy()
        adv = returns - values
        return returns, (adv - adv.mean()) / (adv.std() + 1e-6)
