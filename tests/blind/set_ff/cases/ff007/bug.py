import argparse
import os
import tempfile
from pathlib import Path

import torch
import torch.nn as nn


class Checkpointer:
    def __init__(self, folder, keep=2):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keep = keep

    def _files(self):
        return sorted(self.folder.glob("step_*.pt"), key=os.path.getmtime)

    def save(self, step, model, optimizer):
        payload = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(payload, self.folder / f"step_{step:06d}.pt")
        for old in self._files()[:-self.keep]:
            old.unlink()

    def latest(self):
        files = self._files()
        return files[-1] if files else None

    def restore(self, model, optimizer):
        path = self.latest()
        if path is None:
            return 0
        payload = torch.load(path, weights_only=True)
        model.load_state_dict(payload["model"])
        optimizer.load_state_dict(payload["optimizer"])
        return payload["step"] + 1


class TwoTower(nn.Module):
    def __init__(self, users=20, items=30, dim=8):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--workdir", default=os.path.join(tempfile.gettempdir(), "two_tower_run"))
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--save-every", type=int, default=2)
    return p.parse_args()


def main():
    args = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TwoTower().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    ckpt = Checkpointer(args.workdir)
    start = ckpt.restore(model, optimizer)
    criterion = nn.BCEWithLogitsLoss()
    for step in range(start, args.steps):
        users = torch.randint(0, 20, (16,), device=device)
        items = torch.randint(0, 30, (16,), device=device)
        clicked = torch.randint(0, 2, (16,), device=device).float()
        loss = criterion(model(users, items), clicked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.save_every == 0:
            ckpt.save(step, model, optimizer)
            print(step, loss.item())


if __name__ == "__main__":
    main()
