from contextlib import nullcontext
import torch
from torch import nn


class MixedPrecisionLoop:
    def __init__(self, model, optimizer, device, accumulate=2, clip=1.0):
        self.model, self.optimizer = model, optimizer
        self.device = torch.device(device)
        self.accumulate, self.clip = accumulate, clip
        self.use_amp = self.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.use_amp)

    def precision(self):
        if self.use_amp:
            return torch.autocast(self.device.type, dtype=torch.float16)
        return nullcontext()

    def run(self, batches, loss_fn):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        shown = []
        for i, (x, y) in enumerate(batches, 1):
            x, y = x.to(self.device), y.to(self.device)
            with self.precision():
                loss = loss_fn(self.model(x), y)
            self.scaler.scale(loss / self.accumulate).backward()
            if i % self.accumulate == 0:
                self.scaler.unscale_(self.optimizer)
                nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad(set_to_none=True)
            shown.append(loss.detach())
        return torch.stack(shown).float().mean().item()
