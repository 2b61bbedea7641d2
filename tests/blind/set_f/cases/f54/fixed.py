from contextlib import nullcontext

import torch
from torch import nn


class TinyUNet(nn.Module):
    def __init__(self, c=6, k=2):
        super().__init__()
        self.down = nn.Conv2d(1, c, 3, stride=2, padding=1)
        self.mid = nn.Conv2d(c, c, 3, padding=1)
        self.up = nn.ConvTranspose2d(c, k, 2, stride=2)

    def forward(self, x):
        return self.up(torch.relu(self.mid(torch.relu(self.down(x)))))


class AmpTrainer:
    """Mixed precision on an accelerator, plain float32 elsewhere."""

    def __init__(self, model, device, clip=1.0):
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.clip = clip
        self.amp = self.device.type != "cpu"
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.amp)
        self.calls = []

    def autocast(self):
        return torch.autocast(self.device.type, dtype=torch.float16) if self.amp else nullcontext()

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        with self.autocast():
            loss = nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    t = AmpTrainer(TinyUNet(), "cpu")
    for _ in range(2):
        print(t.step(torch.randn(2, 1, 8, 8), torch.randint(0, 2, (2, 8, 8))))
