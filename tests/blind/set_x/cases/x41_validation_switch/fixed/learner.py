"""Training with early stopping on a validation split."""
import copy
import math

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.best, self.bad, self.state = patience, math.inf, 0, None

    def update(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.state = copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad > self.patience


class Learner:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.loss_fn = nn.L1Loss()
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def train_epoch(self, data):
        self.model.train()
        for x, y in data:
            loss = self.loss_fn(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def validate(self, data):
        self.model.eval()
        total, count = 0.0, 0
        with torch.no_grad():
            for x, y in data:
                total += self.loss_fn(self.model(x), y) * len(x)
                count += len(x)
        return (total / count).item()
