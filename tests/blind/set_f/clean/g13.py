import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau


class Config(dict):
    __getattr__ = dict.__getitem__


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Sequential(nn.Linear(5, 12), nn.GELU(), nn.Linear(12, 1)).to(self.device)
        self.opt = torch.optim.AdamW(self.groups(), lr=cfg.lr)
        self.warmup = LambdaLR(self.opt, lambda s: min(1.0, (s + 1) / cfg.warmup))
        self.plateau = ReduceLROnPlateau(self.opt, patience=0)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=cfg.amp)
        self.step_no = 0

    def groups(self):
        decay = [p for n, p in self.net.named_parameters() if p.ndim > 1]
        rest = [p for n, p in self.net.named_parameters() if p.ndim <= 1]
        return [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]

    def micro(self, x, y):
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.cfg.amp):
            out = self.net(x).squeeze(-1)
        loss = (out.float() - y).pow(2).mean() / self.cfg.accum
        self.scaler.scale(loss).backward()
        return loss.detach()

    def run(self, batches):
        running = torch.zeros((), device=self.device)
        for i, (x, y) in enumerate(batches, 1):
            running += self.micro(x.to(self.device), y.to(self.device))
            if i % self.cfg.accum:
                continue
            self.scaler.unscale_(self.opt)
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.scaler.step(self.opt)
            self.scaler.update()
            self.opt.zero_grad(set_to_none=True)
            if self.step_no < self.cfg.warmup:
                self.warmup.step()
            self.step_no += 1
        self.plateau.step(running.item())
        return running.item()


if __name__ == "__main__":
    t = Trainer(Config(lr=1e-3, warmup=3, amp=False, accum=2))
    for _ in range(2):
        print(t.run([(torch.randn(6, 5), torch.randn(6)) for _ in range(4)]))
