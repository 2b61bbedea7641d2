import contextlib
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    batch_size: int = 4
    accum: int = 4
    epochs: int = 2
    lr: float = 1e-3
    max_norm: float = 1.0


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 1)).to(self.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        ds = TensorDataset(torch.randn(42, 12), torch.randn(42, 1))
        self.loader = DataLoader(ds, batch_size=cfg.batch_size, shuffle=True)
        self.updates = 0

    def sync_context(self, is_update):
        if is_update or not hasattr(self.model, "no_sync"):
            return contextlib.nullcontext()
        return self.model.no_sync()

    def backward(self, x, y, window):
        loss = nn.functional.mse_loss(self.model(x), y)
        (loss / window).backward()
        return loss.detach()

    def update(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_norm)
        self.opt.step()
        self.opt.zero_grad(set_to_none=True)
        self.updates += 1

    def fit(self):
        n = len(self.loader)
        for epoch in range(self.cfg.epochs):
            total = torch.zeros((), device=self.device)
            for i, (x, y) in enumerate(self.loader):
                start = i // self.cfg.accum * self.cfg.accum
                window = min(self.cfg.accum, n - start)
                is_update = (i + 1) % self.cfg.accum == 0 or i + 1 == n
                with self.sync_context(is_update):
                    total += self.backward(x.to(self.device), y.to(self.device), window)
                if is_update:
                    self.update()
            print(epoch, (total / n).item(), self.updates)


if __name__ == "__main__":
    Trainer(Config()).fit()
