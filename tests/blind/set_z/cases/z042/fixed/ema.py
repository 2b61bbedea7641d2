import torch


class WeightAverage:
    def __init__(self, params, decay=0.9):
        self.decay = decay
        self.params = list(params)
        self.shadow = [p.detach().clone() for p in self.params]

    @torch.no_grad()
    def update(self):
        for s, p in zip(self.shadow, self.params):
            s.lerp_(p, 1 - self.decay)

    def distance(self):
        return sum((s - p.detach()).abs().sum().item() for s, p in zip(self.shadow, self.params))
