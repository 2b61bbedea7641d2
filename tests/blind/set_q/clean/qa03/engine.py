import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


def build_model(cfg):
    return nn.Sequential(nn.Linear(cfg.dim, cfg.hidden), nn.Tanh(), nn.Linear(cfg.hidden, 1))


class Trainer:
    def __init__(self, model, cfg):
        self.cfg = cfg
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.model = model
        self.model.to(cfg.device)
        self.history = []

    def _move(self, batch):
        return tuple(t.to(self.cfg.device, non_blocking=self.cfg.on_gpu) for t in batch)

    def _step(self, batch):
        x, y = self._move(batch)
        loss = F.mse_loss(self.model(x).squeeze(-1), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self, dataset, val):
        loader = DataLoader(dataset, batch_size=self.cfg.batch_size, shuffle=True)
        for epoch in range(self.cfg.epochs):
            self.model.train()
            losses = [self._step(b) for b in loader]
            self.history.append((torch.stack(losses).mean().item(), self.evaluate(val)))

    def evaluate(self, val):
        was_training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                x, y = self._move(val)
                return F.mse_loss(self.model(x).squeeze(-1), y).item()
        finally:
            self.model.train(was_training)
