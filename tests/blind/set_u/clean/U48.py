from __future__ import annotations

from typing import Callable

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
FloatTensor: Callable[..., torch.Tensor] = lambda v: torch.tensor(v, dtype=torch.float32, device=device)
LongTensor: Callable[..., torch.Tensor] = lambda v: torch.tensor(v, dtype=torch.int64, device=device)


class Variable:
    """A random variable of a small factor graph."""

    def __init__(self, name: str, states: int):
        self.name, self.states = name, states
        self.log_prior = FloatTensor([0.0] * states)

    def observe(self, state: int) -> Variable:
        self.log_prior = torch.full_like(self.log_prior, float("-inf"))
        self.log_prior[state] = 0.0
        return self


class Potential(nn.Module):
    def __init__(self, a: Variable, b: Variable):
        super().__init__()
        self.table = nn.Parameter(torch.randn(a.states, b.states, device=device) * 0.1)

    def message(self, incoming: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(self.table + incoming[:, None], dim=0)


def is_tensor_like(v) -> bool:
    return isinstance(v, torch.Tensor) and not isinstance(v, nn.Parameter)


rain, wet = Variable("rain", 2), Variable("wet", 3)
pot = Potential(rain, wet)
opt = torch.optim.Adam(pot.parameters(), lr=0.05)
data = LongTensor([[0, 0], [0, 1], [1, 2], [1, 2]])
for _ in range(5):
    nll = 0
    for r, w in data.tolist():
        msg = pot.message(Variable("rain", 2).observe(r).log_prior)
        nll = nll - (msg + wet.log_prior).log_softmax(0)[w]
    opt.zero_grad()
    nll.backward()
    opt.step()
print(nll.item(), is_tensor_like(rain.log_prior), is_tensor_like(pot.table))
