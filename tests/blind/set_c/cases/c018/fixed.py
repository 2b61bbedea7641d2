import copy
import math

import torch
from torch import nn


class EarlyStopping:
    """Stops when the validation loss has not improved and keeps the best weights."""

    def __init__(self, patience=7, min_delta=0.0):
        self.patience = patience
        self.min_delta = min_delta
        self.best = math.inf
        self.best_weights = None
        self.counter = 0

    def __call__(self, val_loss, model):
        if val_loss < self.best - self.min_delta:
            self.best = val_loss
            self.best_weights = copy.deepcopy(model.state_dict())
            self.counter = 0
            return False
        self.counter += 1
        return self.counter >= self.patience

    def restore(self, model):
        if self.best_weights is not None:
            model.load_state_dict(self.best_weights)


def fit(model, train_step, validate, epochs=100):
    stopper = EarlyStopping(patience=5)
    for epoch in range(epochs):
        train_step(model)
        val = validate(model)
        if stopper(val, model):
            print(f"stopped at {epoch}")
            break
    stopper.restore(model)
    return model
