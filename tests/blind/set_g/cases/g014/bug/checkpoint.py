import os

import torch


def save_checkpoint(path, model, optimizer, epoch):
    torch.save({"epoch": epoch, "model": model.state_dict(), "optim": optimizer.state_dict()}, path)


def load_checkpoint(path, model):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    return state["epoch"]
