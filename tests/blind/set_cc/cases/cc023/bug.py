from dataclasses import dataclass

import torch
from torch import nn
from torch.func import functional_call, vmap


@dataclass
class Config:
    lr: float = 0.02
    accumulate: int = 2
    max_norm: float = 1.0
    log_every: int = 2
    steps: int = 8


class Sine(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
        self.history = []

    def _finish(self, loss):
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_norm)
        self.history.append((loss.item(), norm.item()))
        self.model.zero_grad()

    def run(self):
        for i in range(self.cfg.steps):
            x = torch.rand(32, 1) * 6
            loss = (self.model(x) - x.sin()).pow(2).mean()
            (loss / self.cfg.accumulate).backward()
            if (i + 1) % self.cfg.accumulate == 0:
                self._finish(loss)
                self.optimizer.step()
        return self.history

    @torch.no_grad()
    def ensemble(self, x, noise=0.01, members=4):
        base = {k: v.detach() for k, v in self.model.named_parameters()}
        stacked = {k: v + noise * torch.randn(members, *v.shape) for k, v in base.items()}
        return vmap(lambda p: functional_call(self.model, p, (x,)))(stacked)


torch.manual_seed(1)
trainer = Trainer(Sine(), Config())
before = [p.detach().clone() for p in trainer.model.parameters()]
history = trainer.run()
spread = trainer.ensemble(torch.linspace(0, 6, 5).unsqueeze(1)).std(0)
print(history[-1], spread.flatten().tolist())
