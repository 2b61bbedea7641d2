import torch
import torch.nn as nn


class StreamNet(nn.Module):
    def __init__(self, inp=3, hid=12):
        super().__init__()
        self.hid = hid
        self.lower = nn.LSTMCell(inp, hid)
        self.upper = nn.GRUCell(hid, hid)
        self.out = nn.Linear(hid, inp)

    def initial(self, batch):
        zero = self.out.weight.new_zeros(batch, self.hid)
        return {"lower": (zero, zero), "upper": zero}

    def forward(self, x, state):
        lower, upper = state["lower"], state["upper"]
        outs = []
        for frame in x.unbind(1):
            lower = self.lower(frame, lower)
            upper = self.upper(lower[0], upper)
            outs.append(self.out(upper))
        return torch.stack(outs, dim=1), {"lower": lower, "upper": upper}
