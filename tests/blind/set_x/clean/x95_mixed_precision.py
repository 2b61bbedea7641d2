"""Mixed precision with accumulation, clipping and a checkpointed scaler."""
import argparse

import torch
from torch import nn


class Precision:
    """Autocast and loss scaling for the chosen device."""

    def __init__(self, device: torch.device, mode: str):
        if mode == "auto":
            mode = "fp16" if device.type == "cuda" else "bf16"
        self.device = device
        self.dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}[mode]
        self.scaler = torch.amp.GradScaler(device.type, enabled=mode == "fp16")

    def autocast(self):
        return torch.autocast(self.device.type, dtype=self.dtype, enabled=self.dtype != torch.float32)

    def backward(self, loss):
        self.scaler.scale(loss).backward()

    def step(self, optimizer, params, clip):
        self.scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(params, clip)
        self.scaler.step(optimizer)
        self.scaler.update()
        return norm


class Model(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.inp = nn.Linear(8, dim)
        self.mid = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 3)

    def forward(self, x):
        h = self.inp(x).relu()
        h = h + self.mid(h).relu()
        return self.out(h)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", default="auto", choices=["auto", "fp16", "bf16", "fp32"])
    parser.add_argument("--accumulate", type=int, default=2)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Model().to(device)
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=1e-3)
    precision = Precision(device, args.precision)
    for step in range(4):
        for _ in range(args.accumulate):
            x = torch.randn(8, 8, device=device)
            y = torch.randint(0, 3, (8,), device=device)
            with precision.autocast():
                logits = model(x)
                loss = nn.functional.cross_entropy(logits.float(), y) / args.accumulate
            precision.backward(loss)
        precision.step(opt, params, clip=1.0)
        opt.zero_grad(set_to_none=True)
    state = {"model": model.state_dict(), "scaler": precision.scaler.state_dict()}
    print(sorted(state))


if __name__ == "__main__":
    main()
