import os
import torch


def save_checkpoint(path, model, optimizer, epoch, best):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "best": best}, path)


def resume(path, model, optimizer):
    if not os.path.isfile(path):
        return 0, float("inf")
    ckpt = torch.load(path, map_location="cpu")
    model.load_state_dict(ckpt["model"])
    optimizer.load_state_dict(ckpt["optimizer"])
    print(f"resumed from epoch {ckpt['epoch']}")
    return ckpt["epoch"] + 1, ckpt["best"]
