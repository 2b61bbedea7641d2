import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Stopwatch:
    """Waits for the card before it reads the clock, if there is a card."""

    def __init__(self, probe):
        self.on_card = probe.is_cuda

    def now(self):
        if self.on_card:
            torch.cuda.synchronize()
        return time.perf_counter()


def set_seed(seed):
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def prepare(model, batch, use_cuda):
    if use_cuda:
        model = model.cuda()
        batch = [t.cuda(non_blocking=True) for t in batch]
    return model, batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    use_cuda = torch.cuda.is_available() and not args.no_cuda
    set_seed(args.seed)

    model = nn.Sequential(nn.Conv1d(2, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 4))
    x = torch.randn(32, 2, 40)
    y = x.mean((1, 2)).mul(4).long().clamp(0, 3)
    model, (x, y) = prepare(model, (x, y), use_cuda)

    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda", enabled=use_cuda)
    watch = Stopwatch(x)
    start = watch.now()
    for _ in range(6):
        with torch.autocast("cuda" if use_cuda else "cpu", enabled=use_cuda):
            loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
    spent = watch.now() - start
    peak = torch.cuda.max_memory_allocated() / 2 ** 20 if use_cuda else 0.0
    print(f"loss {loss.item():.3f} time {spent:.2f}s memory {peak:.0f} MiB")


if __name__ == "__main__":
    main()
