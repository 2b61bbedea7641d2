import glob
import os

import torch


def latest(folder, prefix="g_"):
    files = sorted(glob.glob(os.path.join(folder, prefix + "????")))
    return files[-1] if files else None


def load_checkpoint(path):
    print(f"loading {path}")
    return torch.load(path, weights_only=True)


def save_checkpoint(path, **state):
    torch.save(state, path)
