"""Truncated backpropagation: the loss of several steps, then the memory is cut."""
from typing import Tuple

import torch
from torch import nn

State = Tuple[torch.Tensor, torch.Tensor]


def repackage(state):
    if torch.is_tensor(state):
        return state.detach()
    return tuple(repackage(s) for s in state)


class Controller(nn.Module):
    def __init__(self, obs=3, hidden=12):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.LSTMCell(obs, hidden)
        self.out = nn.Linear(hidden, obs)

    def initial(self, n, device) -> State:
        zeros = torch.zeros(n, self.hidden, device=device)
        return zeros, zeros.clone()

    def forward(self, x, state: State):
        state = self.cell(x, state)
        return self.out(state[0]), state


class Chunks:
    def __init__(self, total, k):
        self.total, self.k = total, k

    def __iter__(self):
        for start in range(0, self.total, self.k):
            yield range(start, min(start + self.k, self.total))


def train(model, seq, k=5, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    state = model.initial(seq.size(1), seq.device)
    history = []
    for chunk in Chunks(seq.size(0) - 1, k):
        loss = seq.new_zeros(())
        for t in chunk:
            pred, state = model(seq[t], state)
            loss = loss + (pred - seq[t + 1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        opt.step()
        state = repackage(state)
        history.append(loss.detach() / len(chunk))
    return torch.stack(history)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    t = torch.linspace(0, 12, 33, device=device).view(-1, 1, 1)
    phase = torch.rand(4, 3, device=device)
    series = torch.sin(t + phase)
    print(train(Controller().to(device), series).tolist())
