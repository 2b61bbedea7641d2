import os
import tempfile

import torch

PATH = os.path.join(tempfile.gettempdir(), f"state_{os.getpid()}.pt")


def save(model, optimizer, step):
    torch.save({
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "rng": torch.get_rng_state(),
    }, PATH)


def restore(model, optimizer):
    # everything comes to the host first; load_state_dict copies it to where the parameters are
    ckpt = torch.load(PATH, map_location="cpu", weights_only=True)
    model.load_state_dict(ckpt["model"])
    optimizer.load_state_dict(ckpt["optimizer"])
    torch.set_rng_state(ckpt["rng"])
    return ckpt["step"]
