"""Double DQN with a hard-synchronised target network and prioritised replay."""

import torch


class PrioritisedReplay:
    def __init__(self, size, obs, device):
        self.s = torch.randn(size, obs, device=device)
        self.a = torch.randint(0, 3, (size,), device=device)
        self.r = torch.randn(size, device=device)
        self.s2 = torch.randn(size, obs, device=device)
        self.priority = torch.ones(size, device=device)

    def sample(self, n, beta=0.4):
        probs = self.priority / self.priority.sum()
        idx = probs.multinomial(n)
        weight = (probs[idx] * probs.numel()).pow(-beta)
        return idx, (self.s[idx], self.a[idx], self.r[idx], self.s2[idx]), weight / weight.max()

    def update(self, idx, td):
        self.priority[idx] = td.abs() + 1e-3
