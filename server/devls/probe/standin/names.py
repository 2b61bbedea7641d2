"""Translation between the device the program names (`cuda`) and the one torch sees (`pcuda`)."""

from __future__ import annotations

import re

import torch

INNER = "pcuda"  # torch refuses to give a brought device the name of one it knows
COUNT = 2

_TYPE_NAME = re.compile(r"\bp?cuda(\w+)Type\b")


def to_inner(device: object) -> torch.device | None:
    """The dispatcher's device for what a program wrote: a string, an index, a `torch.device` or None.

    Raises:
        torch.AcceleratorError: for an index beyond the pretended devices.
    """
    if device is None:
        return None
    if isinstance(device, int):
        return torch.device(INNER, device)
    known = torch.device(device)
    if known.type != "cuda":
        return known
    index = known.index or 0
    if index >= COUNT:
        raise torch.AcceleratorError("CUDA error: invalid device ordinal")
    return torch.device(INNER, index)


def to_outer(device: torch.device) -> torch.device:
    """The device a program is shown."""
    return torch.device("cuda", device.index or 0) if device.type == INNER else device


def outer_text(text: str) -> str:
    """An error text with the program's device names in it."""
    text = text.replace(INNER, "cuda").replace(INNER.upper(), "CUDA")
    return _TYPE_NAME.sub(r"torch.cuda.\1Tensor", text)


def type_name(tensor: torch.Tensor) -> str:
    """How messages of convolutions call a tensor: `torch.cuda.FloatTensor`."""
    prefix = "torch.cuda." if tensor.device.type == INNER else "torch."
    words = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.int64: "Long"}
    return f"{prefix}{words.get(tensor.dtype, '')}Tensor"
