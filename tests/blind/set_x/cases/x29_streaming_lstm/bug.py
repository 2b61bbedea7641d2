"""Stateful LSTM over consecutive windows of a long signal."""
import torch
from torch import nn


class StatefulLSTM(nn.Module):
    """Keeps its state between calls until `reset` is called."""

    def __init__(self, inputs=1, hidden=12):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, x):
        out, self.state = self.lstm(x, self.state)
        return self.head(out)


class Windows:
    def __init__(self, series, size, batch):
        steps = series.numel() // batch
        self.data = series[: steps * batch].view(batch, steps, 1)
        self.size = size

    def __iter__(self):
        for start in range(0, self.data.size(1) - self.size - 1, self.size):
            stop = start + self.size
            yield self.data[:, start:stop], self.data[:, start + 1 : stop + 1]


class Forecaster:
    def __init__(self, lr=1e-2, clip=1.0):
        self.model = StatefulLSTM()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.clip = clip

    def _optimise(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()

    def epoch(self, windows):
        self.model.train()
        self.model.reset()
        losses = []
        for x, y in windows:
            loss = nn.functional.mse_loss(self.model(x), y)
            self._optimise(loss)
            losses.append(loss.detach())
        return torch.stack(losses).mean().item()


if __name__ == "__main__":
    signal = torch.sin(torch.linspace(0, 40, 400))
    windows = Windows(signal, size=10, batch=4)
    f = Forecaster()
    for e in range(2):
        print(e, f.epoch(windows))
