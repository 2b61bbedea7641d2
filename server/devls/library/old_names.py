"""Names that torch keeps for old programs, and what has taken their place.

Source: what torch 2.13 raises or warns when they are used (the page of `legacy-device-api` runs one of each kind).
"""

from __future__ import annotations

from typing import Final

from devls.values.facts import fact


@fact
class OldName:
    """One such name."""

    advice: str
    """The replacement, in words."""
    replacement: str = ""
    """A dotted name that does, if the arguments can stay."""
    arguments: str = ""
    """First argument in the replacement's brackets."""
    breaks: bool = False
    """Whether it raises where no accelerator is."""


_TYPES: Final = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64", "IntTensor": "int32", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8",
    "BoolTensor": "bool",
}  # fmt: skip

OLD_NAMES: Final[dict[str, OldName]] = {
    **{
        f"torch.cuda.{name}": OldName(
            f"`torch.tensor(..., dtype=torch.{dtype}, device=device)`, or `torch.empty` for sizes",
            breaks=True,
        )
        for name, dtype in _TYPES.items()
    },
    "torch.cuda.amp.autocast": OldName('`torch.autocast("cuda")`', "torch.autocast", '"cuda"'),
    "torch.cpu.amp.autocast": OldName('`torch.autocast("cpu")`', "torch.autocast", '"cpu"'),
    "torch.cuda.amp.GradScaler": OldName('`torch.amp.GradScaler("cuda")`', "torch.amp.GradScaler", '"cuda"'),
    "torch.cuda.amp.custom_fwd": OldName('`torch.amp.custom_fwd(device_type="cuda")`'),
    "torch.cuda.amp.custom_bwd": OldName('`torch.amp.custom_bwd(device_type="cuda")`'),
    "torch.set_default_tensor_type": OldName("`torch.set_default_dtype` and `torch.set_default_device`"),
    "torch.autograd.Variable": OldName("the tensor itself: a Variable is a Tensor since torch 0.4"),
}
