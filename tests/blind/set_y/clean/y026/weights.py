import functools
import tempfile
from pathlib import Path

import torch

load_cpu = functools.partial(torch.load, map_location="cpu", weights_only=True)


def strip_prefix(state, prefix="module."):
    return {k[len(prefix):] if k.startswith(prefix) else k: v for k, v in state.items()}


def load_matching(model, path):
    """Loads what fits in name and shape, returns the names that did not."""
    own = model.state_dict()
    state = strip_prefix(load_cpu(path))
    good = {k: v for k, v in state.items() if k in own and own[k].shape == v.shape}
    model.load_state_dict(good, strict=False)
    return sorted(set(own) - set(good))


def fake_pretrained(model):
    path = Path(tempfile.mkdtemp()) / "pretrained.pth"
    torch.save({f"module.{k}": torch.randn_like(v) for k, v in model.state_dict().items()}, path)
    return path
