"""Hold what the interpreter reveals of tensors against torch's own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_programs import Outcome

PRELUDE = """\
import builtins, os, sys

shown = []


def reveal_value(value):
    import torch

    if isinstance(value, torch.Tensor):
        fields = {
            "kind": "Parameter" if isinstance(value, torch.nn.Parameter) else "Tensor",
            "device": str(value.device),
            "requires_grad": str(value.requires_grad),
            "is_leaf": str(value.is_leaf),
            "shape": str(tuple(value.shape)),
            "dtype": str(value.dtype).removeprefix("torch."),
        }
        caller = sys._getframe(1)
        shown.append((os.path.basename(caller.f_code.co_filename), caller.f_lineno, fields))
    return value


builtins.reveal_value = reveal_value
"""
"""Import it first; `shown` then holds (file, line, fields) of every tensor that was revealed."""


def shown(outcome: Outcome) -> list[tuple[str, int, dict[str, str]]]:
    """What a program with `effect="prelude.shown"` has revealed."""
    if not outcome.effect or outcome.effect.startswith("raises"):
        return []
    found: list[tuple[str, int, dict[str, str]]] = ast.literal_eval(outcome.effect)
    return found


def certain(believed: str) -> bool:
    """Whether a revealed text is about one tensor, on a device with a name of torch's or unknown."""
    if not believed.startswith(("Tensor ", "Parameter ")) or " | " in believed:
        return False
    device = fields(believed).get("device", "?")
    return device == "?" or all(
        each.partition(":")[0] in ("cpu", "cuda", "mps", "meta") for each in device.split("|")
    )


def fits(believed: str, true: dict[str, str]) -> bool:
    """Whether a revealed text agrees with torch; what it leaves open (`?`) agrees with anything."""
    if believed.startswith("Parameter") and true["kind"] != "Parameter":
        return False
    for name, wanted in fields(believed).items():
        found = true.get(name, "?").replace(" ", "")
        if "?" in (wanted, found):
            continue
        if name == "shape":
            sizes, real = wanted.strip("()").split(","), found.strip("()").split(",")
            if len(sizes) != len(real) or any(a not in ("?", b) for a, b in zip(sizes, real, strict=True)):
                return False
        elif name == "device":
            if not any(
                each == found or (each == "cuda" and found.startswith("cuda")) for each in wanted.split("|")
            ):
                return False
        elif wanted != found:
            return False
    return True


def fields(believed: str) -> dict[str, str]:
    """The words of a revealed text by name."""
    words = believed.replace(", ", ",").replace(" or ", "|").split()[1:]
    return dict(word.partition("=")[::2] for word in words if "=" in word)
