import torch
import torch.nn as nn


class StatefulLSTM(nn.Module):
    """Remembers its state between calls until reset() is used."""

    def __init__(self, n_in, hidden):
        super().__init__()
        self.cell = nn.LSTM(n_in, hidden, batch_first=True)
        self.head = nn.Linear(hidden, n_in)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, x):
        out, state = self.cell(x, self.state)
        self.state = state
        return self.head(out)
