from dataclasses import dataclass, field
from typing import List

import torch


@dataclass
class Episode:
    log_probs: List[torch.Tensor] = field(default_factory=list)
    values: List[torch.Tensor] = field(default_factory=list)
    rewards: List[float] = field(default_factory=list)

    def push(self, log_prob, value, reward):
        self.log_probs.append(log_prob)
        self.values.append(value)
        self.rewards.append(reward)

    def clear(self):
        for items in (self.log_probs, self.values, self.rewards):
            items.clear()

    def returns(self, gamma, device):
        out, acc = [], 0.0
        for r in reversed(self.rewards):
            acc = r + gamma * acc
            out.append(acc)
        return torch.tensor(out[::-1], device=device)
