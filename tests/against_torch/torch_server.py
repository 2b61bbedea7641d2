"""Runs small programs on torch, one after the other in one process: forking would take longer than running them.

A line of JSON comes in, a list of programs; a line of JSON goes out, what each did for every way its flags may be set.
"""

from __future__ import annotations

import builtins
import gc
import json
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path[:0] = [str(Path(__file__).parents[2] / "server")]

import torch  # noqa: E402
from torch import overrides  # noqa: E402
from torch.utils import _device as default_device  # noqa: E402

from devls.probe.standin import pretend  # noqa: E402
from devls.probe.standin.names import to_outer  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT_SECONDS = 20
FLAGS = ("00", "10", "01", "11")
_shown: dict[int, dict[str, str]] = {}


def _fields(value: torch.Tensor) -> dict[str, str]:
    with torch._C.DisableTorchFunction():
        return _fields_as_they_are(value)


def _fields_as_they_are(value: torch.Tensor) -> dict[str, str]:
    return {
        "kind": "Parameter" if isinstance(value, torch.nn.Parameter) else "Tensor",
        "device": str(to_outer(value.device)),
        "requires_grad": str(value.requires_grad),
        "is_leaf": str(value.is_leaf),
        "shape": str(tuple(value.shape)),
        "dtype": str(value.dtype).removeprefix("torch."),
    }


def reveal_value(value: object) -> object:
    """Remember what a tensor is at the caller's line."""
    if isinstance(value, torch.Tensor):
        _shown[sys._getframe(1).f_lineno] = _fields(value)
    return value


def _stop(*_: object) -> None:
    raise TimeoutError("a program takes too long")


def _modes() -> list[Any]:
    """The function modes that are active, which are taken away."""
    return [overrides._pop_mode() for _ in range(overrides._len_torch_function_stack())][::-1]


def _no_default_device(modes: Sequence[Any]) -> None:
    """Undo what a program did to the default device; one inside a `with` of another one leaves even other modes broken."""
    _modes()
    for mode in modes:
        overrides._push_mode(mode)
    torch._GLOBAL_DEVICE_CONTEXT.device_context = None
    default_device.CURRENT_DEVICE = None


def _run_once(code: Any, modes: Sequence[Any], *, handles: bool) -> list[object]:
    """The error, its line, what was revealed by line, and (if it handles any) all errors by line, and the lines it ran."""
    _shown.clear()
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    _no_default_device(modes)
    raised, line = "", 0
    caught: list[tuple[int, str]] = []
    ran = set[int]()
    signal.alarm(LIMIT_SECONDS)

    def trace(frame: Any, event: str, what: Any) -> Any:
        if frame.f_code.co_filename != "program.py":
            return None
        ran.add(frame.f_lineno)
        if event == "exception":
            caught.append((frame.f_lineno, f"{what[0].__name__}: {what[1]}"))
        return trace

    if handles:
        sys.settrace(trace)
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        exec(code, names)  # noqa: S102  our own programs
    except Exception as error:  # noqa: BLE001  whatever a program raises is its outcome
        raised = f"{type(error).__name__}: {error}"
        passed = error.__traceback__
        while passed is not None:
            if passed.tb_frame.f_code.co_filename == "program.py":
                line = passed.tb_lineno
            passed = passed.tb_next
    finally:
        sys.settrace(None)
        signal.alarm(0)
    # A generator that was left in the middle of a `with` ends it when it is collected: not in the next program.
    names.clear()
    gc.collect()
    return [raised, line, dict(_shown), caught, sorted(ran)]


def outcomes(text: str, modes: Sequence[Any]) -> list[list[object]]:
    """Outcomes of a program on torch, for each way its flags may be set."""
    code = compile(text, "program.py", "exec")
    found = []
    for flags in FLAGS:
        if any(f"FLAG{i}" not in text and flags[i] == "1" for i in (0, 1)):
            continue
        os.environ["FLAG0"], os.environ["FLAG1"] = flags
        found.append(_run_once(code, modes, handles="except" in text))
    return found


def main() -> None:
    torch.set_num_threads(1)
    # The first optimizer imports torch's compiler, which takes seconds.
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1).step()
    signal.signal(signal.SIGALRM, _stop)
    warnings.simplefilter("ignore")
    builtins.reveal_value = reveal_value  # type: ignore[attr-defined]
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a program prints is no answer
    gc.freeze()  # what is there already need not be looked through after each program
    with pretend():
        modes = _modes()
        for line in sys.stdin:
            out.write(json.dumps([outcomes(text, modes) for text in json.loads(line)]) + "\n")
            out.flush()
        _no_default_device(modes)


if __name__ == "__main__":
    main()
