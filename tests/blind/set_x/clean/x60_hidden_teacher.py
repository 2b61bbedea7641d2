"""Distillation; the teacher stays out of the student's state dict on purpose."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


def make_net(width):
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 4))


class Distiller(nn.Module):
    """Wraps a student. Teachers are kept in a tuple: not trained, not saved."""

    def __init__(self, student, teachers, temperature=2.0):
        super().__init__()
        self.student = student
        self.temperature = temperature
        self._teachers = tuple(copy.deepcopy(t).eval().requires_grad_(False) for t in teachers)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        for teacher in self._teachers:
            teacher._apply(fn)
        return self

    @torch.no_grad()
    def soft_targets(self, x):
        logits = torch.stack([t(x) for t in self._teachers]).mean(0)
        return (logits / self.temperature).softmax(dim=-1)

    def forward(self, x, y):
        logits = self.student(x)
        kd = F.kl_div((logits / self.temperature).log_softmax(-1), self.soft_targets(x), reduction="batchmean")
        return F.cross_entropy(logits, y) + self.temperature ** 2 * kd


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    wrapper = Distiller(make_net(8), [make_net(32), make_net(64)]).to(device)
    assert all(name.startswith("student.") for name in wrapper.state_dict())
    opt = torch.optim.AdamW(wrapper.parameters(), lr=1e-3)
    for _ in range(3):
        x = torch.randn(16, 8, device=device)
        y = torch.randint(0, 4, (16,), device=device)
        opt.zero_grad()
        wrapper(x, y).backward()
        opt.step()


if __name__ == "__main__":
    main()
