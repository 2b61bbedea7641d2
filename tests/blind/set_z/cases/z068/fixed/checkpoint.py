import glob
import logging
import os

import torch

logger = logging.getLogger(__name__)


def is_main(args):
    return getattr(args, "rank", 0) == 0


def save_checkpoint(args, epoch, model, optimizer, best):
    if not is_main(args):
        return
    net = model.module if hasattr(model, "module") else model
    torch.save({"epoch": epoch, "best": best, "model": net.state_dict(), "optimizer": optimizer.state_dict()},
               os.path.join(args.output, f"checkpoint-{epoch}.pth"))


def find_last(folder):
    paths = glob.glob(os.path.join(folder, "checkpoint-*.pth"))
    return max(paths, key=lambda p: int(p.rsplit("-", 1)[1][:-4])) if paths else None


def auto_resume(args, model, optimizer):
    """Continues from the newest file in the output folder (trained on whatever machine)."""
    path = find_last(args.output)
    if path is None:
        return 0, 0.0
    state = torch.load(path, map_location="cpu")
    net = model.module if hasattr(model, "module") else model
    net.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    logger.info("resumed %s", path)
    return state["epoch"] + 1, state["best"]
