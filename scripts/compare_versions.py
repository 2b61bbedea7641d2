"""Differences on an older torch: names, and facts. `python scripts/compare_versions.py OLD_PYTHON`.

OLD_PYTHON is a Python that has the older torch. Writes `server/devls/library/data/versions.json`, from which devls knows
which names a supported release has that this one has not, and which facts its rules must not count on.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATA = ROOT / "server" / "devls" / "library" / "data"
FACTS = ROOT / "tests" / "probe" / "facts.md"
SPACES = (
    "torch torch.Tensor torch.nn torch.nn.Module torch.nn.functional torch.nn.init torch.nn.utils torch.nn.attention torch.optim"
    " torch.optim.Optimizer torch.optim.lr_scheduler torch.autograd torch.autograd.graph torch.amp torch.cuda torch.mps torch.xpu"
    " torch.cpu torch.accelerator torch.linalg torch.fft torch.special torch.func torch.compiler torch.random torch.utils.data"
).split()
"""Modules that programs take names from."""
NOT_TORCH = frozenset(
    "Any Callable Dict List Optional Set Tuple Union Deque Iterable Iterator Sequence Type Mapping NamedTuple NewType Literal Self"
    " TypeVar ParamSpec TYPE_CHECKING override overload cast wraps annotations dataclasses contextlib collections functools glob"
    " warnings sys os io pdb platform logging log uuid copy deque weakref namedtuple Tensor torch utils traceback lru_cache byref"
    " MappingProxyType c_double c_uint32 c_void_p pointer config monitor py_float py_int NamedTuple Generic TypeAlias contextvars"
    " WeakKeyDictionary WeakValueDictionary MutableMapping FuncType F Generator".split()
)
"""Modules that torch's modules have imported for themselves."""


ROWS = {
    "torch.ldexp": "saves its operands, and not the result, before it became an operation of its own",
    "torch.Tensor.ldexp": "as torch.ldexp",
    "torch.linalg.lstsq": "its second result, the residuals, has no graph",
    **dict.fromkeys(
        (
            "torch.aminmax",
            "torch.Tensor.aminmax",
            "torch.nextafter",
            "torch.Tensor.nextafter",
            "torch.Tensor.nextafter_",
            "torch.narrow_copy",
            "torch.Tensor.narrow_copy",
            "torch.channel_shuffle",
            "torch.nn.functional.channel_shuffle",
        ),
        "backward raises: not implemented",
    ),
}
"""Rows of the catalog that the older torch contradicts, of all that `tests/against_torch/test_catalog_operations.py` runs."""


def names() -> dict[str, list[str]]:
    """The public names of each namespace, as the torch at hand has them."""
    return {
        space: sorted({each for each in dir(holder(space)) if not each.startswith("_")} - NOT_TORCH)
        for space in SPACES
    }


def holder(space: str) -> Any:
    """The module or class of that name; None where this torch has none."""
    try:
        return importlib.import_module(space)
    except ImportError:
        module, _, last = space.rpartition(".")
        return getattr(importlib.import_module(module), last, None)


def outcomes() -> dict[str, str]:
    """Whether each fact's program runs on the CPU, or what it raises."""
    import numpy as np  # noqa: PLC0415  here, because the older torch may come without it
    import torch  # noqa: PLC0415  the one at hand

    found = {}
    for name, info, code in re.findall(
        r"^### ([^\n]+)\n\n```py([^\n]*)\n(.*?)^```",
        FACTS.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    ):
        if "accelerator" in info:
            continue
        torch.set_grad_enabled(True)
        torch.manual_seed(0)
        given = {"torch": torch, "np": np, "nn": torch.nn, "F": torch.nn.functional}
        given["copy"] = importlib.import_module("copy")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(textwrap.dedent(code), given)  # noqa: S102  our own programs
            found[name] = "runs"
        except Exception as error:  # noqa: BLE001  whatever it is, it is the outcome
            found[name] = type(error).__name__
    return found


def main() -> int:
    warnings.simplefilter("ignore")
    import torch  # noqa: PLC0415  the one at hand

    here = {"torch": torch.__version__.partition("+")[0], "names": names(), "facts": outcomes()}
    if sys.argv[1:] == ["--here"]:
        print(json.dumps(here))
        return 0
    answer = subprocess.run(
        [sys.argv[1], "-W", "ignore", __file__, "--here"], check=True, capture_output=True, text=True
    )
    there = json.loads(answer.stdout.splitlines()[-1])
    old, new = there["names"], here["names"]
    changed = {
        "torch": there["torch"],
        "removed": [
            f"{space}.{each}"
            for space in SPACES
            for each in old[space]
            if each not in new[space] and not hasattr(holder(space), each)  # some are made when they are read
        ],
        "added": [f"{space}.{each}" for space in SPACES for each in new[space] if each not in old[space]],
        "rows": ROWS,
        "facts": {
            name: [there["facts"][name], outcome]
            for name, outcome in here["facts"].items()
            # Without an accelerator the text tells how torch was built, not which torch it is.
            if (outcome == "runs") != (there["facts"][name] == "runs")
        },
    }
    (DATA / "versions.json").write_text(json.dumps(changed, indent=0) + "\n", encoding="utf-8")
    print({name: len(each) for name, each in changed.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
