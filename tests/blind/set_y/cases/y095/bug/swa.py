import copy

import torch


class WeightAverage:
    """Equal weight average, started late in training."""

    def __init__(self, start):
        self.start, self.count, self.model = start, 0, None

    @torch.no_grad()
    def collect(self, epoch, model):
        if epoch < self.start:
            return
        if self.model is None:
            self.model = copy.deepcopy(model)
        else:
            for avg, p in zip(self.model.parameters(), model.parameters()):
                avg += (p - avg) / (self.count + 1)
        self.count += 1
