r"""Read the pages of `tests/pitfalls/`: what each kind of mistake looks like in different programs.

A page has a section for each pitfall, with a few programs in it:

    ## discarded-transfer

    ```diff effect="x.device.type == 'cpu'"
    x = torch.randn(3)
    -x.to("cuda")
    +x = x.to("cuda")
    ```

Lines with `-` belong to the program with the mistake, those with `+` to the one that was meant, all others to both. A finding
has to touch a line with `-`, or one that ends in `# error`. The word behind `diff` describes torch's behaviour, in the
words of [pages.py](pages.py): `raises`, `warns`, `effect` (true after the program with the mistake, false or an error
after the other), `run`, `on` and `not-run`. The word `missed` is for a mistake that devls does not see yet: a test
fails once it does. Each program begins with the imports of `HEAD`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pages import Torch, read_torch

FOLDER = Path(__file__).parent / "pitfalls"

HEAD = """\
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

"""

_SECTION = re.compile(r"^## (?P<name>.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```diff(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_ERROR = re.compile(r"[ \t]*# error$")


@dataclass(frozen=True)
class Form:
    """A program with a mistake, the one that was meant, and the lines (from 1) of which a finding has to touch one."""

    id: str
    pitfall: str
    broken: str
    meant: str
    lines: frozenset[int]
    torch: Torch
    missed: bool


def read_forms() -> list[Form]:
    """Every form of every page."""
    return [form for path in sorted(FOLDER.glob("*.md")) for form in _read(path)]


def _read(path: Path) -> list[Form]:
    text = path.read_text(encoding="utf-8")
    heads = [(found.start(), found["name"]) for found in _SECTION.finditer(text)]
    forms = list[Form]()
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 1
        pitfall = next(name for start, name in reversed(heads) if start < fence.start())
        torch, flags = read_torch(fence["info"], f"{path.name}:{line}", accelerator=path.stem == "device")
        broken, meant, lines = HEAD, HEAD, set[int]()
        for each in fence["code"].splitlines():
            sign = each[:1] if each[:1] in "+-" else ""
            code = _ERROR.sub("", each[len(sign) :]) + "\n"
            if sign == "-" or _ERROR.search(each):
                lines.add(broken.count("\n") + 1)
            broken += "" if sign == "+" else code
            meant += "" if sign == "-" else code
        assert lines, f"{path.name}:{line}: no line to be found"
        forms.append(
            Form(f"{path.name}:{line}", pitfall, broken, meant, frozenset(lines), torch, "missed" in flags)
        )
    return forms
