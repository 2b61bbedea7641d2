import logging
import os
from typing import Any, Dict, Optional

import torch

logger = logging.getLogger(__name__)


def unwrap(model):
    return model.module if hasattr(model, "module") else model


class CheckpointManager:
    def __init__(self, folder: str, keep: int = 2):
        self.folder, self.keep = folder, keep
        os.makedirs(folder, exist_ok=True)
        self.paths = []

    def path(self, epoch: int) -> str:
        return os.path.join(self.folder, f"epoch_{epoch:03d}.pt")

    def save(self, epoch, model, optimizer, scheduler=None, **extra: Any):
        state = {"epoch": epoch, "model": unwrap(model).state_dict(), "optimizer": optimizer.state_dict(), **extra}
        if scheduler is not None:
            state["scheduler"] = scheduler.state_dict()
        torch.save(state, self.path(epoch))
        self.paths.append(self.path(epoch))
        while len(self.paths) > self.keep:
            os.remove(self.paths.pop(0))

    def latest(self) -> Optional[str]:
        return self.paths[-1] if self.paths else None

    def resume(self, model, optimizer, scheduler=None) -> int:
        last = self.latest()
        if last is None:
            return 0
        state: Dict[str, Any] = torch.load(last, map_location="cpu")
        unwrap(model).load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        if scheduler is not None and "scheduler" in state:
            scheduler.load_state_dict(state["scheduler"])
        logger.info("resumed from %s", last)
        return state["epoch"] + 1
