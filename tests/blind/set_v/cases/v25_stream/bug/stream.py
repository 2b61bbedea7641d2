import torch
from torch import nn

from memory import StackedGRU


class Forecaster(nn.Module):
    def __init__(self, dim=6, depth=2):
        super().__init__()
        self.rnn = StackedGRU(dim, depth)
        self.out = nn.Linear(dim, dim)

    def forward(self, chunk):
        return self.out(self.rnn(chunk))


def chunks(series, width):
    for s in range(0, series.size(1) - width, width):
        yield series[:, s : s + width], series[:, s + 1 : s + width + 1]


def train(epochs=2):
    model = Forecaster()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    series = torch.randn(3, 41, 6).cumsum(1) / 5
    for epoch in range(epochs):
        model.rnn.state.clear()
        for x, y in chunks(series, 10):
            loss = nn.functional.l1_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    train()
