import torch
import torch.nn as nn


class PeepholeCell(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.hidden = hidden
        self.x2g = nn.Linear(n_in, 4 * hidden)
        self.h2g = nn.Linear(hidden, 4 * hidden, bias=False)
        self.peep = nn.Parameter(torch.zeros(3, hidden))

    def gates(self, x, h):
        return (self.x2g(x) + self.h2g(h)).chunk(4, dim=1)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = self.gates(x, h)
        i += self.peep[0] * c
        f += self.peep[1] * c
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        o = torch.sigmoid(o + self.peep[2] * c)
        return o * torch.tanh(c), c


class Stack(nn.Module):
    def __init__(self, n_in, hidden, n_out):
        super().__init__()
        self.cell = PeepholeCell(n_in, hidden)
        self.out = nn.Linear(hidden, n_out)

    def forward(self, seq):
        state = tuple(seq.new_zeros(seq.size(0), self.cell.hidden) for _ in range(2))
        for x in seq.unbind(1):
            state = self.cell(x, state)
        return self.out(state[0])
