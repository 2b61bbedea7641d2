import torch
from torch import nn
import torch.nn.functional as F
from callbacks import GradientStats, History


class Trainer:
    def __init__(self, model, optimizer, callbacks=()):
        self.model, self.optimizer = model, optimizer
        self.callbacks = list(callbacks)
        self.step = 0
        self.epoch_loss = float("nan")

    def fire(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def train_batch(self, x, y):
        self.optimizer.zero_grad()
        loss = F.huber_loss(self.model(x), y)
        loss.backward()
        self.fire("on_backward")
        self.optimizer.step()
        self.step += 1
        return loss.item()

    def fit(self, data, epochs):
        self.model.train()
        for _ in range(epochs):
            self.epoch_loss = sum(self.train_batch(x, y) for x, y in data) / len(data)
            self.fire("on_epoch")


class Mixer(nn.Module):
    def __init__(self, steps=16, channels=4, hidden=32):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(steps, hidden), nn.GELU(), nn.Linear(hidden, steps))
        self.feature = nn.Sequential(nn.Linear(channels, hidden), nn.GELU(), nn.Linear(hidden, channels))
        self.head = nn.Linear(steps * channels, 1)

    def forward(self, x):
        x = x + self.time(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.feature(x)
        return self.head(x.flatten(1))


torch.manual_seed(0)
x = torch.randn(64, 16, 4)
y = x.mean((1, 2)).unsqueeze(1)
data = list(zip(x.split(16), y.split(16)))
model = Mixer()
before = model.head.weight.detach().clone()
history = History()
Trainer(model, torch.optim.Adam(model.parameters(), lr=1e-3), [GradientStats(), history]).fit(data, 3)
print(history.loss)
