import torch


class Drift:
    """A point that drifts; action 0 and 1 push it left and right."""

    def reset(self):
        self.x = torch.randn(3)
        return self.x

    def step(self, action):
        self.x = 0.9 * self.x + (0.2 if action else -0.2) + 0.05 * torch.randn(3)
        return self.x, -self.x.abs().sum().item()
