"""A leaky recurrent network for system identification."""
import torch
import torch.nn as nn


class LeakyRnn(nn.Module):
    def __init__(self, n_in, n_hidden, n_out, leak=0.2):
        super().__init__()
        self.n_hidden = n_hidden
        self.leak = leak
        self.inp = nn.Linear(n_in, n_hidden)
        self.rec = nn.Linear(n_hidden, n_hidden, bias=False)
        self.out = nn.Linear(n_hidden, n_out)

    def initial(self, u):
        return u.new_zeros(u.size(1), self.n_hidden)

    def states(self, u):
        steps, batch, _ = u.shape
        h = self.initial(u)
        kept = []
        for t in range(steps):
            drive = torch.tanh(self.inp(u[t]) + self.rec(h))
            h = (1 - self.leak) * h + self.leak * drive
            kept.append(h)
        return torch.stack(kept)

    def forward(self, u):
        return self.out(self.states(u))


class Identification:
    def __init__(self, model, lr=1e-3, skip=2):
        self.model = model
        self.skip = skip
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, u, y):
        predicted = self.model(u)
        return (predicted[self.skip:] - y[self.skip:]).pow(2).mean()

    def fit(self, u, y, epochs=5):
        losses = []
        for _ in range(epochs):
            self.optimizer.zero_grad()
            loss = self.loss(u, y)
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return losses
