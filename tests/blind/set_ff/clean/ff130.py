import copy
import math
import random

import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def before_fit(self, learner): ...
    def after_epoch(self, learner, epoch, train_loss, valid_loss): ...


class Plateau(Callback):
    def before_fit(self, learner):
        self.scheduler = ReduceLROnPlateau(learner.optimizer, patience=0, factor=0.5)

    def after_epoch(self, learner, epoch, train_loss, valid_loss):
        self.scheduler.step(valid_loss)


class KeepBest(Callback):
    def __init__(self):
        self.best, self.state = math.inf, None

    def after_epoch(self, learner, epoch, train_loss, valid_loss):
        if valid_loss < self.best:
            self.best = valid_loss
            self.state = copy.deepcopy(learner.model.state_dict())

    def restore(self, learner):
        if self.state is not None:
            learner.model.load_state_dict(self.state)


class Learner:
    def __init__(self, model, loss_fn, callbacks=(), device=None):
        self.device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.loss_fn = loss_fn
        self.optimizer = torch.optim.NAdam(model.parameters(), lr=5e-3)
        self.callbacks = list(callbacks)

    def _notify(self, name, *args):
        for cb in self.callbacks:
            getattr(cb, name)(self, *args)

    def _epoch(self, loader, train):
        self.model.train(train)
        total, n = 0.0, 0
        with torch.set_grad_enabled(train):
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = self.loss_fn(self.model(x), y)
                if train:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                total += loss.item() * len(x)
                n += len(x)
        return total / n

    def fit(self, train, valid, epochs):
        self._notify("before_fit")
        for epoch in range(epochs):
            tl = self._epoch(train, True)
            vl = self._epoch(valid, False)
            self._notify("after_epoch", epoch, tl, vl)
            print(f"{epoch} train {tl:.4f} valid {vl:.4f}")


class MultiHead(nn.Module):
    def __init__(self, inp, outs):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inp, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1))
        self.heads = nn.ModuleList(nn.Linear(16, o) for o in outs)

    def forward(self, x):
        h = self.body(x)
        return [head(h) for head in self.heads]


def head_loss(outputs, y):
    total = 0
    for i, out in enumerate(outputs):
        total += nn.functional.cross_entropy(out, y[:, i])
    return total / len(outputs)


def main():
    random.seed(0)
    torch.manual_seed(0)
    x = torch.randn(80, 5)
    y = torch.stack([(x[:, 0] > 0).long(), x[:, 1:4].argmax(1)], 1)
    train = DataLoader(TensorDataset(x[:60], y[:60]), 20, shuffle=True)
    valid = DataLoader(TensorDataset(x[60:], y[60:]), 20)
    keep = KeepBest()
    learner = Learner(MultiHead(5, (2, 3)), head_loss, [Plateau(), keep])
    learner.fit(train, valid, 3)
    keep.restore(learner)
    print(keep.best)


if __name__ == "__main__":
    main()
