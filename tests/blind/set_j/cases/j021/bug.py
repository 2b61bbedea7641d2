import argparse
import os
import tempfile

import torch
import torch.nn as nn


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--resume", default=os.path.join(tempfile.gettempdir(), f"unet_{os.getpid()}.pt"))
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--cpu", action="store_true")
    return ap.parse_args()


class UNet1d(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.inc = nn.Conv1d(1, c, 3, padding=1)
        self.down = nn.Conv1d(c, c * 2, 4, 2, 1)
        self.up = nn.ConvTranspose1d(c * 2, c, 4, 2, 1)
        self.out = nn.Conv1d(c * 2, 1, 3, padding=1)

    def forward(self, x):
        a = self.inc(x).relu()
        b = self.up(self.down(a).relu()).relu()
        return self.out(torch.cat([a, b], 1))


def save(path, epoch, model, opt):
    torch.save({"epoch": epoch, "model": model.state_dict(), "opt": opt.state_dict()}, path)


def resume(path, model, opt, device):
    if not os.path.exists(path):
        return 0
    state = torch.load(path)
    model.load_state_dict(state["model"])
    opt.load_state_dict(state["opt"])
    return state["epoch"] + 1


def train(args, until):
    device = torch.device("cpu" if args.cpu or not torch.cuda.is_available() else "cuda")
    model = UNet1d().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = resume(args.resume, model, opt, device)
    for epoch in range(start, until):
        x = torch.randn(4, 1, 32, device=device)
        loss = nn.functional.l1_loss(model(x + 0.1 * torch.randn_like(x)), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        save(args.resume, epoch, model, opt)
    return start


if __name__ == "__main__":
    args = get_args()
    train(args, args.epochs)
    print("second run starts at", train(args, args.epochs + 1))
    os.remove(args.resume)
