"""Saving and resuming of training runs."""
import os
import re
from pathlib import Path

import torch

PATTERN = re.compile(r"step_(\d+)\.pt$")


def latest(folder):
    found = [(int(m.group(1)), p) for p in Path(folder).glob("step_*.pt") if (m := PATTERN.search(p.name))]
    return max(found)[1] if found else None


class Checkpointer:
    def __init__(self, folder, model, optimizer, keep=3):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model, self.optimizer, self.keep = model, optimizer, keep

    def save(self, step):
        state = {
            "step": step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        tmp = self.folder / f".step_{step}.tmp"
        torch.save(state, tmp)
        os.replace(tmp, self.folder / f"step_{step}.pt")
        for old in sorted(self.folder.glob("step_*.pt"), key=os.path.getmtime)[: -self.keep]:
            old.unlink()

    def resume(self):
        path = latest(self.folder)
        if path is None:
            return 0
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        return state["step"] + 1
