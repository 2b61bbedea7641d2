import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def build(device, factory=None):
    factory = factory or {"device": device, "dtype": torch.float32}
    net = nn.Sequential(nn.Linear(6, 32, **factory), nn.GELU(), nn.Linear(32, 1, **factory))
    noise = torch.empty(32, **factory).normal_()
    with torch.no_grad():
        net[0].bias.add_(0.01 * noise)
    return net


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--amp", action="store_true")
    parser.add_argument("--steps", type=int, default=8)
    args = parser.parse_args()

    device = torch.device(args.device)
    model = build(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler(device.type, enabled=args.amp and device.type == "cuda")
    weights = torch.tensor([0.5, 1.0, 2.0], device=device)
    for step in range(args.steps):
        x = torch.randn(24, 6, device=device)
        y = x.mean(1, keepdim=True)
        with torch.autocast(device_type=device.type, dtype=torch.bfloat16, enabled=args.amp):
            out = model(x)
            loss = (weights.repeat(8).unsqueeze(1) * F.mse_loss(out, y, reduction="none")).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(args.device, loss.item())


if __name__ == "__main__":
    main()
