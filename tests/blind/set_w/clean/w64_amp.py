import contextlib
import torch
from torch import nn
import torch.nn.functional as F


class UNetish(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.down = nn.Conv2d(1, c, 3, 2, 1)
        self.mid = nn.Conv2d(c, c, 3, 1, 1)
        self.up = nn.ConvTranspose2d(2 * c, 1, 2, 2)

    def forward(self, x):
        d = F.relu(self.down(x))
        m = F.relu(self.mid(d))
        return self.up(torch.cat([d, m], 1))


def dice(logits, y):
    p = logits.float().sigmoid().flatten(1)
    y = y.flatten(1)
    return (1 - (2 * (p * y).sum(1) + 1) / (p.sum(1) + y.sum(1) + 1)).mean()


class Segmenter:
    def __init__(self, device, accum=2, amp=False):
        self.device, self.accum = device, accum
        self.net = UNetish().to(device)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler(device.type, enabled=amp)
        self.ctx = lambda: torch.autocast(device.type, dtype=torch.bfloat16) if amp else contextlib.nullcontext()
        self.warm = torch.optim.lr_scheduler.LinearLR(self.opt, 0.1, total_iters=4)

    def run(self, batches):
        self.net.train()
        seen = 0.0
        for k, (x, y) in enumerate(batches, start=1):
            x, y = x.to(self.device), y.to(self.device)
            with self.ctx():
                out = self.net(x)
                loss = F.binary_cross_entropy_with_logits(out, y) + dice(out, y)
            self.scaler.scale(loss / self.accum).backward()
            seen += loss.item()
            if k % self.accum == 0:
                self.scaler.unscale_(self.opt)
                nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                self.scaler.step(self.opt)
                self.scaler.update()
                self.opt.zero_grad()
                self.warm.step()
        return seen / k


seg = Segmenter(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
batches = [(torch.rand(2, 1, 8, 8), (torch.rand(2, 1, 8, 8) > 0.5).float()) for _ in range(6)]
for _ in range(2):
    print(seg.run(batches))
