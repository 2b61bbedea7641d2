import math

import torch


class SineTasks:
    def __init__(self, shots=8, queries=8, device="cpu"):
        self.shots, self.queries, self.device = shots, queries, device

    def _draw(self, amp, phase, n):
        x = torch.rand(n, 1, device=self.device) * 10 - 5
        return x, amp * torch.sin(x + phase)

    def sample(self, n):
        for _ in range(n):
            amp = 0.1 + 4.9 * torch.rand(()).item()
            phase = math.pi * torch.rand(()).item()
            yield self._draw(amp, phase, self.shots), self._draw(amp, phase, self.queries)
