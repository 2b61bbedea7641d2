"""Run in a process of its own: torch's operator samples with one tensor left on the CPU, on the pretended accelerator.

Prints JSON: for each operation a program whose numbered lines call it so, and by line whether torch refuses the devices.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path[:0] = [str(Path(__file__).parents[2] / each) for each in ("server", "tests", "scripts")]

import torch  # noqa: E402
from catalog.samples import SLOW, Call, _by_name, _samples, public_name  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._pytree import tree_leaves, tree_map  # noqa: E402

from devls.probe.standin import pretend  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = 8
MARKS = ("device", "should be the same", "on the CPU", "on cpu")


class _Text:
    """The text of a call, tensors made one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def of(self, value: Any, place: dict[int, str]) -> str:
        """An expression for an argument.

        Raises:
            ValueError: for what has no literal.
        """
        if isinstance(value, torch.Tensor):
            name = f"t{len(self.lines)}"
            dtype = str(value.dtype)
            self.lines.append(
                f'{name} = torch.ones({tuple(value.shape)}, dtype={dtype}, device="{place[id(value)]}")'
            )
            return name
        if isinstance(value, (list, tuple)):
            inner = ", ".join(self.of(each, place) for each in value)
            return f"[{inner}]" if isinstance(value, list) else f"({inner},)" if value else "()"
        if (
            value is None
            or isinstance(value, (bool, int, str))
            or (isinstance(value, float) and not math.isnan(value))
        ):
            return (
                repr(value)
                if abs(value if isinstance(value, float) else 0) != float("inf")
                else 'float("inf")'
            )
        if isinstance(value, (torch.dtype, torch.device)):
            return f"torch.device('{value}')" if isinstance(value, torch.device) else str(value)
        raise ValueError(value)


def refused(function: Callable[..., Any], call: Call, place: dict[int, str]) -> bool | None:
    """Whether torch refuses the call for where its tensors are; None when it fails for something else."""

    def put(value: Any) -> Any:
        return value.detach().clone().to(place[id(value)]) if isinstance(value, torch.Tensor) else value

    try:
        with torch.no_grad():
            function(*tree_map(put, call.args), **tree_map(put, call.kwargs))
    except (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError) as error:
        return True if any(each in str(error) for each in MARKS) else None
    return False


def program(
    name: str, function: Callable[..., Any], method: str, samples: list[Call]
) -> dict[str, Any] | None:
    """The program of an operation and torch's verdicts by line; None when no sample can be written down."""
    lines, verdicts = ["import torch", ""], dict[int, bool]()
    for call in samples:
        tensors = [each for each in tree_leaves((call.args, call.kwargs)) if isinstance(each, torch.Tensor)]
        if len({id(each) for each in tensors}) == 1 or any(each.layout != torch.strided for each in tensors):
            continue
        together = {id(each): "cuda:0" for each in tensors}
        if refused(function, call, together) is not False:
            continue
        for left in tensors:
            place = {**together, id(left): "cpu"}
            verdict = refused(function, call, place)
            text = _Text()
            try:
                parts = [text.of(each, place) for each in call.args]
                parts += [f"{key}={text.of(each, place)}" for key, each in call.kwargs.items()]
            except ValueError:
                continue
            if verdict is None:
                continue
            lines += text.lines
            lines.append(
                f"{parts[0]}.{method}({', '.join(parts[1:])})" if method else f"{name}({', '.join(parts)})"
            )
            verdicts[len(lines)] = verdict
    return {"name": name, "text": "\n".join(lines) + "\n", "verdicts": verdicts} if verdicts else None


def main() -> None:
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    found, names = [], set()
    with pretend():
        for info in op_db:
            name = public_name(info.name)
            if name is None or "._" in name or not info.dtypes or info.name in SLOW or name in names:
                continue
            names.add(name)
            samples = list(_samples(info))[:SAMPLES]
            short = name.rpartition(".")[2]
            function = _by_name(name)
            if function is None and not hasattr(torch.Tensor, short):
                continue  # reachable below `torch.ops` only
            method = short if function is None or name.startswith("torch.Tensor.") else ""
            made = program(name, function or info.op, method, samples)
            if made is not None:
                found.append(made)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
