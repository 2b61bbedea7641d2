import os

import torch


def save_checkpoint(path, model, optimizer, epoch, best):
    state = {
        "epoch": epoch,
        "best": best,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    tmp = path + ".tmp"
    torch.save(state, tmp)
    os.replace(tmp, path)


def load_checkpoint(path, model, optimizer=None, device="cpu"):
    if not os.path.isfile(path):
        return 0, float("inf")
    ckpt = torch.load(path)
    model.load_state_dict(ckpt["model"])
    if optimizer is not None:
        optimizer.load_state_dict(ckpt["optimizer"])
    return ckpt["epoch"] + 1, ckpt["best"]
