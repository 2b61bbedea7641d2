"""Trainer with checkpointing; resumes when a checkpoint exists."""
import argparse
import os
import tempfile
from pathlib import Path

import torch
from torch import nn


class CheckpointManager:
    def __init__(self, root: Path, keep: int = 2):
        self.root, self.keep = root, keep
        self.root.mkdir(parents=True, exist_ok=True)

    def path(self, step: int) -> Path:
        return self.root / f"step_{step:06d}.pt"

    def save(self, step, **objects):
        state = {name: obj.state_dict() for name, obj in objects.items()}
        torch.save({"step": step, **state}, self.path(step))
        for old in sorted(self.root.glob("step_*.pt"))[: -self.keep]:
            os.remove(old)

    def latest(self):
        found = sorted(self.root.glob("step_*.pt"))
        return found[-1] if found else None

    def restore(self, device, **objects) -> int:
        path = self.latest()
        if path is None:
            return 0
        state = torch.load(path, weights_only=True)
        for name, obj in objects.items():
            obj.load_state_dict(state[name])
        return state["step"]


def train(args, manager):
    device = torch.device(args.device)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = manager.restore(device, model=model, optimizer=optimizer)
    for step in range(start, start + args.steps):
        x = torch.randn(16, 8, device=device)
        loss = (model(x).squeeze(-1) - x.mean(dim=1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    manager.save(start + args.steps, model=model, optimizer=optimizer)
    return start + args.steps


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        manager = CheckpointManager(Path(tmp) / "ckpt")
        train(args, manager)
        print("finished at", train(args, manager))
