import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


def unwrap(model):
    while isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
        model = model.module
    return model


def wrap(model, gpus):
    """Moves first, wraps after; with one device or none the model stays bare."""
    if torch.cuda.is_available() and gpus:
        main = torch.device("cuda", gpus[0])
        model = model.to(main)
        if len(gpus) > 1:
            model = nn.DataParallel(model, device_ids=gpus)
        return model, main
    return model, torch.device("cpu")


def parse_gpus(text):
    wanted = [int(t) for t in text.split(",") if t.strip()]
    return [g for g in wanted if g < torch.cuda.device_count()]


def load_flexible(model, state):
    prefix = "module."
    clean = {k[len(prefix):] if k.startswith(prefix) else k: v for k, v in state.items()}
    missing, unexpected = unwrap(model).load_state_dict(clean, strict=False)
    if missing or unexpected:
        logger.warning("missing %s unexpected %s", missing, unexpected)
