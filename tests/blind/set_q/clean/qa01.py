import argparse
import copy
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--ckpt", default="last.pt")
    p.add_argument("--patience", type=int, default=2)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.module = copy.deepcopy(model).eval()
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for e, p in zip(self.module.parameters(), model.parameters()):
            e.mul_(self.decay).add_(p, alpha=1 - self.decay)
        for e, b in zip(self.module.buffers(), model.buffers()):
            e.copy_(b)


def build():
    return nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))


@torch.inference_mode()
def validate(model, loader, device):
    correct = torch.zeros((), device=device)
    seen = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        correct += (model(x).argmax(1) == y).sum()
        seen += y.numel()
    return (correct / seen).item()


def main():
    args = get_args()
    device = torch.device(args.device)
    x = torch.randn(240, 12)
    y = (x[:, :3]).argmax(1)
    train, val = random_split(TensorDataset(x, y), [200, 40], generator=torch.Generator().manual_seed(0))
    loader = DataLoader(train, batch_size=20, shuffle=True)
    val_loader = DataLoader(val, batch_size=40)

    model = build().to(device)
    ema = EMA(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
    start, best, bad = 0, 0.0, 0

    if os.path.exists(args.ckpt):
        state = torch.load(args.ckpt, map_location="cpu")
        model.load_state_dict(state["model"])
        ema.module.load_state_dict(state["ema"])
        opt.load_state_dict(state["opt"])
        sched.load_state_dict(state["sched"])
        start, best = state["epoch"] + 1, state["best"]

    for epoch in range(start, args.epochs):
        model.train()
        opt.zero_grad()
        for i, (bx, by) in enumerate(loader, 1):
            bx, by = bx.to(device), by.to(device)
            loss = loss_fn(model(bx), by) / args.accum
            loss.backward()
            if i % args.accum == 0 or i == len(loader):
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
                ema.update(model)
        sched.step()
        acc = validate(ema.module, val_loader, device)
        bad = 0 if acc > best else bad + 1
        best = max(best, acc)
        torch.save({"model": model.state_dict(), "ema": ema.module.state_dict(), "opt": opt.state_dict(),
                    "sched": sched.state_dict(), "epoch": epoch, "best": best}, args.ckpt)
        print(f"epoch {epoch} acc {acc:.3f} best {best:.3f}")
        if bad >= args.patience:
            break


if __name__ == "__main__":
    main()
