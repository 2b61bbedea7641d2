import argparse

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Embedding(20, 8), nn.Flatten(), nn.Linear(8 * 5, 20))


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=100)
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument("--log_every", type=int, default=2)
    args = ap.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=10)
    running = 0.0
    optimizer.zero_grad()
    for step in range(args.steps):
        ids = torch.randint(0, 20, (4, 5), device=device)
        loss = nn.functional.cross_entropy(model(ids), ids[:, -1]) / args.accum
        loss.backward()
        running += loss.item() * args.accum
        if (step + 1) % args.accum == 0 or step + 1 == args.steps:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        if (step + 1) % args.log_every == 0:
            print(step, running / args.log_every)
            running = 0.0


if __name__ == "__main__":
    main()
