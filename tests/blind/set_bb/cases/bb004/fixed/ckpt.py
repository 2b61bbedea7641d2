import os
import tempfile
import torch

FOLDER = tempfile.mkdtemp()


def path(tag):
    return os.path.join(FOLDER, f"{tag}.pt")


def save(tag, epoch, model, optimizer):
    torch.save({"epoch": epoch, "model": model.state_dict(), "optim": optimizer.state_dict()}, path(tag))


def resume(tag, model, optimizer):
    blob = torch.load(path(tag), map_location="cpu", weights_only=False)
    model.load_state_dict(blob["model"])
    optimizer.load_state_dict(blob["optim"])
    return blob["epoch"] + 1
