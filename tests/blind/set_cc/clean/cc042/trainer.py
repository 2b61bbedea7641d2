from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class TrainArgs:
    accumulate: int = 3
    max_norm: float = 1.0
    lr: float = 1e-3
    half: bool = True


class Trainer:
    def __init__(self, model, args, device):
        self.model, self.args, self.device = model.to(device), args, device
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        self.amp = args.half and device.type == "cuda"
        self.scaler = torch.amp.GradScaler(device.type, enabled=self.amp)

    def _autocast(self):
        return torch.autocast(self.device.type, dtype=torch.float16) if self.amp else nullcontext()

    def _apply_gradients(self):
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        return norm

    def epoch(self, loader):
        self.model.train()
        total = torch.zeros((), device=self.device)
        last = len(loader) - 1
        for i, (x, y) in enumerate(loader):
            with self._autocast():
                loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            self.scaler.scale(loss / self.args.accumulate).backward()
            total += loss.detach()
            if (i + 1) % self.args.accumulate == 0 or i == last:
                self._apply_gradients()
        return total.item() / len(loader)
