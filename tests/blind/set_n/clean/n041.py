import argparse
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--accum", type=int, default=1)
p.add_argument("--fp16", action="store_true")
args = p.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
use_amp = args.fp16 and device.type == "cuda"

model = nn.Sequential(nn.Embedding(30, 16), nn.Flatten(), nn.Linear(80, 30)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 3))
scaler = torch.amp.GradScaler(device.type, enabled=use_amp)

optimizer.zero_grad()
for micro in range(6):
    x = torch.randint(0, 30, (4, 5), device=device)
    y = torch.randint(0, 30, (4,), device=device)
    with torch.autocast(device.type, enabled=use_amp):
        loss = nn.functional.cross_entropy(model(x), y) / args.accum
    scaler.scale(loss).backward()
    if (micro + 1) % args.accum:
        continue
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if scaler.get_scale() >= before:
        scheduler.step()
