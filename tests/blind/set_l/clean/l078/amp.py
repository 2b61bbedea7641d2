import torch


class Precision:
    """Mixed precision on a GPU, plain float32 everywhere else."""

    def __init__(self, device, max_norm=1.0):
        self.device = torch.device(device)
        self.enabled = self.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.enabled)
        self.max_norm = max_norm

    def autocast(self):
        return torch.autocast(self.device.type, enabled=self.enabled)

    def step(self, loss, optimizer, params):
        optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(params, self.max_norm)
        self.scaler.step(optimizer)
        self.scaler.update()
        return norm
