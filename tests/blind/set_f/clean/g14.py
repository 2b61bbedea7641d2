from typing import Tuple, Union

import torch
from torch import nn

State = Union[torch.Tensor, Tuple["State", ...]]


def repackage(h: State) -> State:
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage(v) for v in h)


class Tracker(nn.Module):
    def __init__(self, d=3, h=10):
        super().__init__()
        self.cell = nn.LSTMCell(d, h)
        self.out = nn.Linear(h, d)

    def forward(self, seq, state):
        preds = []
        for x in seq:
            state = self.cell(x, state)
            preds.append(self.out(state[0]))
        return torch.stack(preds), state


def train(net, stream, horizon=5):
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    state = None
    log = []
    for start in range(0, len(stream) - horizon, horizon):
        window = stream[start : start + horizon]
        if state is not None:
            state = repackage(state)
        preds, state = net(window, state)
        loss = (preds[:-1] - window[1:]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
    return log


@torch.no_grad()
def roll(net, first, n):
    state, outs = None, [first]
    for _ in range(n):
        pred, state = net(outs[-1][None], state)
        outs.append(pred[0])
    return torch.stack(outs)


if __name__ == "__main__":
    net = Tracker()
    t = torch.arange(40.0)[:, None, None] * 0.2
    stream = torch.cat([t.sin(), t.cos(), (t / 2).sin()], dim=-1).expand(-1, 2, -1)
    print(train(net, stream)[-1])
    print(roll(net, stream[0], 4).numpy().shape)
