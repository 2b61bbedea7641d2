import contextlib

import torch
import torch.nn as nn


class Engine:
    def __init__(self, model, device, accumulate=2, amp=True):
        self.model = model.to(device)
        self.device = device
        self.accumulate = accumulate
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 10)
        self.amp = amp
        self.scaler = torch.amp.GradScaler(device.type, enabled=amp, init_scale=128.0)
        self.seen = 0

    def precision(self):
        if self.amp:
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def _apply_gradients(self):
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        before = self.scaler.get_scale()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        if self.scaler.get_scale() >= before:
            self.scheduler.step()
        return norm.item()

    def step(self, x, y):
        with self.precision():
            loss = nn.functional.mse_loss(self.model(x).float(), y)
        self.scaler.scale(loss / self.accumulate).backward()
        self.seen += 1
        if self.seen % self.accumulate == 0:
            return loss.item(), self._apply_gradients()
        return loss.item(), None


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
engine = Engine(nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)), device)
for i in range(6):
    x = torch.randn(8, 4, device=device)
    print(engine.step(x, x.sum(1, keepdim=True)))
