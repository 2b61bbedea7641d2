import torch
from torch import nn


class Rnn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.cell, self.out = nn.GRUCell(d, 6), nn.Linear(6, d)

    def forward(self, x, h=None):
        if h is None:
            h = x.new_zeros(x.size(0), 6)
        h = self.cell(x, h)
        return self.out(h), h


def fit(model, seq, k=3):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    h, loss = None, 0.0
    for t in range(len(seq) - 1):
        pred, h = model(seq[t], h)
        loss = loss + nn.functional.mse_loss(pred, seq[t + 1])
        if (t + 1) % k == 0:
            opt.zero_grad()
            loss.backward()
            opt.step()
            h, loss = h.detach(), 0.0
