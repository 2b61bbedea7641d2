import os

import torch


def save(path, model, optimizer, scheduler, epoch):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(),
             "scheduler": scheduler.state_dict(), "epoch": epoch}
    partial = f"{path}.part"
    torch.save(state, partial)
    os.replace(partial, path)


def restore(path, model, optimizer, scheduler):
    if not os.path.exists(path):
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    return state["epoch"] + 1
