import torch
from torch import nn


class System:
    def __init__(self, cfg):
        self.cfg, self.device = cfg, cfg.torch_device
        self.model = self.build().to(self.device)
        self.optimizer = cfg.optim.build(self.model.parameters())
        self.callbacks = []

    def build(self):
        return nn.Sequential(nn.Linear(self.cfg.dim, 16), nn.Mish(), nn.Linear(16, self.cfg.dim))

    def on_step(self, fn):
        self.callbacks.append(fn)
        return fn

    def batch(self):
        return torch.randn(8, self.cfg.dim, device=self.device)

    def fit(self):
        for step in range(self.cfg.steps):
            x = self.batch()
            loss = (self.model(x) - x.flip(-1)).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            for fn in self.callbacks:
                fn(step, {"loss": loss.item(), "norm": self.grad_norm()})

    def grad_norm(self):
        return sum(p.grad.pow(2).sum().item() for p in self.model.parameters() if p.grad is not None) ** 0.5
