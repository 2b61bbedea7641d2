"""Mixed precision training of a point cloud segmenter."""
from dataclasses import dataclass
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    points: int = 64
    classes: int = 4
    batch: int = 4
    steps: int = 4
    lr: float = 1e-3
    clip: float = 2.0


class PointSeg(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.local = nn.Sequential(nn.Conv1d(3, 32, 1), nn.ReLU(), nn.Conv1d(32, 32, 1), nn.ReLU())
        self.head = nn.Sequential(nn.Conv1d(64, 32, 1), nn.ReLU(), nn.Conv1d(32, cfg.classes, 1))

    def forward(self, xyz):
        f = self.local(xyz.transpose(1, 2))
        g = f.amax(dim=2, keepdim=True).expand_as(f)
        return self.head(torch.cat([f, g], dim=1))


class Engine:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.dtype = torch.float16 if self.device.type == "cuda" else torch.bfloat16
        self.net = PointSeg(cfg).to(self.device)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg.steps)
        self.scaler = torch.amp.GradScaler(self.device.type)

    def compute_loss(self, xyz, label):
        with torch.autocast(self.device.type, dtype=self.dtype):
            logits = self.net(xyz)
            return F.cross_entropy(logits, label)

    def optimise(self, loss):
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), self.cfg.clip)
        self.scaler.step(self.opt)
        self.scaler.update()
        return norm

    def run(self):
        for step in range(self.cfg.steps):
            xyz = torch.randn(self.cfg.batch, self.cfg.points, 3, device=self.device)
            label = torch.randint(self.cfg.classes, (self.cfg.batch, self.cfg.points), device=self.device)
            loss = self.compute_loss(xyz, label)
            self.optimise(loss)
            self.sched.step()
        return loss.item()


if __name__ == "__main__":
    print(Engine(Config()).run())
