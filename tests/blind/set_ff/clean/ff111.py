import argparse
from contextlib import nullcontext

import torch
import torch.nn as nn
import torch.nn.functional as F


class CharRNN(nn.Module):
    def __init__(self, vocab=30, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def stream(n, batch, length, vocab):
    for _ in range(n):
        ids = torch.randint(0, vocab, (batch, length + 1))
        yield ids[:, :-1], ids[:, 1:]


def train(args):
    device = torch.device(args.device)
    use_amp = args.amp and device.type == "cuda"
    model = CharRNN().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=2)
    scaler = torch.amp.GradScaler(device.type, enabled=use_amp)
    autocast = lambda: torch.autocast(device.type, dtype=torch.float16) if use_amp else nullcontext()
    optimizer.zero_grad()
    running = 0.0
    for i, (x, y) in enumerate(stream(args.batches, 4, 12, 30), start=1):
        x, y = x.to(device), y.to(device)
        with autocast():
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten()) / args.accumulate
        scaler.scale(loss).backward()
        running += loss.item()
        if i % args.accumulate == 0:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            warmup.step()
            print(f"step {i // args.accumulate}: {running:.3f} lr {warmup.get_last_lr()[0]:.1e}")
            running = 0.0
    return model


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--accumulate", type=int, default=2)
    p.add_argument("--batches", type=int, default=6)
    train(p.parse_args(argv))


if __name__ == "__main__":
    main()
