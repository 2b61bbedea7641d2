import argparse
import os
import tempfile

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--resume", action="store_true")
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--workdir", default=tempfile.gettempdir())
args = parser.parse_args()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ckpt_path = os.path.join(args.workdir, f"ae-{os.getpid()}.pt")


def build():
    return nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 20))


def train(model, optimizer, steps, where):
    model.train()
    for _ in range(steps):
        x = torch.randn(16, 20, device=where)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def pretrain_on_host():
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    train(model, optimizer, 3, "cpu")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}, ckpt_path)


pretrain_on_host()

model = build()
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
first_step = 0
if args.resume and os.path.exists(ckpt_path):
    state = torch.load(ckpt_path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    first_step = state["step"]
    os.remove(ckpt_path)

last = train(model, optimizer, 5, device)
print(f"resumed at {first_step}, loss {last:.4f}")
