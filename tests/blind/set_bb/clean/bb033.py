import argparse
import contextlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class MLP(nn.Module):
    def __init__(self, i, h, o, p=0.1):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(i, h), nn.LayerNorm(h), nn.GELU(), nn.Dropout(p), nn.Linear(h, o))

    def forward(self, x):
        return self.f(x)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = MLP(10, 32, 4).to(self.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=args.epochs)
        self.use_amp = self.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.use_amp)
        self.crit = nn.CrossEntropyLoss()

    def cast(self):
        return torch.autocast("cuda", dtype=torch.float16) if self.use_amp else contextlib.nullcontext()

    def loss_of(self, batch):
        x, y = (t.to(self.device, non_blocking=True) for t in batch)
        with self.cast():
            return self.crit(self.model(x), y)

    def epoch(self, loader):
        self.model.train()
        self.opt.zero_grad(set_to_none=True)
        running = torch.zeros((), device=self.device)
        for i, batch in enumerate(loader, 1):
            loss = self.loss_of(batch) / self.args.accum
            self.scaler.scale(loss).backward()
            running += loss.detach()
            if i % self.args.accum == 0 or i == len(loader):
                self.scaler.unscale_(self.opt)
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.scaler.step(self.opt)
                self.scaler.update()
                self.opt.zero_grad(set_to_none=True)
        self.sched.step()
        return running.item()

    @torch.inference_mode()
    def evaluate(self, loader):
        self.model.eval()
        return sum(self.loss_of(b).item() for b in loader) / len(loader)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    ds = TensorDataset(torch.randn(80, 10), torch.randint(0, 4, (80,)))
    loader = DataLoader(ds, batch_size=8, shuffle=True, pin_memory=torch.cuda.is_available())
    t = Trainer(args)
    for _ in range(args.epochs):
        print(t.epoch(loader), t.evaluate(loader))


if __name__ == "__main__":
    main()
