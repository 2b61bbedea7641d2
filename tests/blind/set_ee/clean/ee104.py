import argparse
from contextlib import nullcontext

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--accum", type=int, default=3)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--no-amp", action="store_true")
    ap.add_argument("--clip", type=float, default=1.0)
    return ap.parse_args()


class TextCNN(nn.Module):
    def __init__(self, vocab=80, dim=16, widths=(2, 3), n_out=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv1d(dim, 12, w) for w in widths])
        self.fc = nn.Linear(12 * len(widths), n_out)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        pooled = [conv(x).relu().amax(dim=-1) for conv in self.convs]
        return self.fc(torch.cat(pooled, dim=1))


def main():
    args = get_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    use_amp = device.type == "cuda" and not args.no_amp

    model = TextCNN().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, total_steps=20)
    scaler = torch.amp.GradScaler(device.type, enabled=use_amp)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5])).to(device)

    loader = DataLoader(
        TensorDataset(torch.randint(0, 80, (80, 12)), torch.randint(0, 3, (80,))),
        batch_size=8, shuffle=True, pin_memory=device.type == "cuda",
    )

    for epoch in range(args.epochs):
        model.train()
        optimizer.zero_grad(set_to_none=True)
        window = 0.0
        for step, (ids, labels) in enumerate(loader):
            ids = ids.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            ctx = torch.autocast(device.type, dtype=torch.float16) if use_amp else nullcontext()
            with ctx:
                loss = criterion(model(ids), labels) / args.accum
            scaler.scale(loss).backward()
            window += loss.item()

            last = step + 1 == len(loader)
            if (step + 1) % args.accum and not last:
                continue
            scaler.unscale_(optimizer)
            norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= before:
                scheduler.step()
            optimizer.zero_grad(set_to_none=True)
            print(f"{epoch}/{step} loss {window:.4f} |g| {norm.item():.3f}")
            window = 0.0


if __name__ == "__main__":
    main()
