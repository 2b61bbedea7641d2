"""Patterns on the text of code, for what is asked of a whole file or function before its tree is looked at."""

from __future__ import annotations

import re
from typing import Final

from devls.text.patterns import deferred

ACTS_ON_TENSORS: Final = deferred(
    r"\.(?:append|backward|cpu|cuda|data|detach_?|eval|grad|item|load(?:_state_dict)?|new_\w+|numpy|parameters|pin_memory|save"
    r"|state_dict|step|to|tolist|train|type|zero_grad)\b"
)
"""Methods and attributes that do something with tensors, models or optimizers."""

MAY_WRITE_ITEM: Final = deferred(r"\]\s*=[^=]")
"""A quick test before `WRITES_ITEM`."""

WRITES_ITEM: Final = deferred(r"^[ \t]*[\w.]+\[.*\]\s*=[^=]", re.MULTILINE)
"""An item at the beginning of a statement: what is annotated, `sizes: list[int] = None`, is not written."""

IN_PLACE_CALL: Final = deferred(r"[a-z]_\(")
"""`x.add_(y)`."""

MAKES_TENSORS: Final = deferred(
    r"\b(?:arange|as_tensor|empty|eye|from_numpy|full|linspace|normal|ones|rand\w*|tensor|where|zeros|Parameter)\(|\w_like\("
)
"""Factories."""

BUILDS_OBJECT: Final = deferred(r"\b(?<!raise )_?[A-Z](?=[^\Wa-z]*[a-z])\w*\(")
"""The call of a class, by its capital."""

MAY_BUILD_OBJECT: Final = deferred(r"[A-Z]\w{0,200}\(")
"""A quick test before `BUILDS_OBJECT`."""

DOES_MORE_THAN_BUILD: Final = deferred(
    r"device|cuda|optim|criterion|enable_grad|inference_mode|\bloss|Loss\(|_loss\(|no_grad|register_buffer|[a-z]_\(|Tensor\("
    r"|\btorch\.(?!(?:fx|hub|jit|load|nn)\b)|\bF\."
    r"|\.(?:backward|cpu|data|detach_?|grad|item|new_\w+|numpy|pin_memory|save|step|to|tolist|type|zero_grad)\b"
    "|" + MAKES_TENSORS.pattern
)
"""Calls of code that does more with a model than put it together."""

PUTS_TOGETHER: Final = deferred(BUILDS_OBJECT.pattern + r"|\.load_state_dict\(")
"""Statements of functions that put a model together."""

ASSIGNS_NAME: Final = deferred(r"^[ \t]+(\w+)[ \t]*(?::[^=\n]+)?=[^=]", re.MULTILINE)
"""The name that a statement assigns."""

MENTIONS_TORCH: Final = deferred(r"device|cuda|grad|backward|detach|\.to\(|\bnn\.|[mM]odel|[eE]ncoder|\bnet")
"""Words that have to do with a device, a graph or a model."""

SPEAKS_OF_TENSORS: Final = deferred(
    r"\.(?:(?:to|cuda|cpu)[ \t]*\(|step[ \t]*(?:\(|$)|(?:backward|zero_grad|detach_?|requires_grad_?|state_dict|load_state_dict|device|grad)\b"
    r"|(?:eval|train|parameters)\(\))|(?<![\w.])(?:nn\.[A-Z]|F\.\w+\()",
    re.MULTILINE,
)
"""Words in a file by which an unknown name means the same as in torch."""

FROM_IMPORT: Final = deferred(
    r"\n[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|(?:[^\n\\#]|\\\n)+)"
)
"""`from a import b, c`: the dots, the module, the names."""

PLAIN_IMPORT: Final = deferred(r"\n[ \t]*import[ \t]+((?:[^\n\\#;]|\\\n)+)")
"""`import a, b`."""

ATTRIBUTE_READ: Final = deferred(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
"""`owner.attribute`."""

COMMENT: Final = deferred(r"#[^\n]*")
"""A comment, to the end of its line."""

DEFINED_NAME: Final = deferred(r"\n(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|\n([^\W\d]\w*)[ \t]*[:=,]")
"""A function, class or variable at the left margin."""

DOCUMENTED_TENSOR: Final = deferred(
    r"^[ \t]*(?::param\s+|-\s*)?\*{0,2}`?(\w+)`?\s*(?::|\()\s*(?::?class:?)?[`~(]*(?:torch\.|th\.)?(?:\w*Tensor|tensor)\b(?!\s+or\b)",
    re.MULTILINE,
)
"""`x: torch.Tensor`, `x (Tensor): ...`, `:param x: (th.Tensor) ...` in a docstring."""

QUANTIZES: Final = deferred(r"backends\.quantized|quantization\.(prepare|convert|quantize_dynamic)")
"""Models that are quantized this way run on the CPU and nowhere else."""

PUTS: Final = frozenset("append appendleft extend insert add update setdefault push put".split())
"""Methods that put something into a container."""

WRITES_ATTRIBUTE: Final = deferred(
    rf"self\.(?<=\bself\.)(\w+)\s*(?:[-+*/@|]?=[^=]|[:,][^=(\n]{{0,500}}=[^=]|\[.{{0,500}}\]\s*=[^=]|\.(?:{'|'.join(sorted(PUTS))})\()"
)
"""Writes of a method to attributes of its own object: the name of the attribute.

It begins with plain text, for which `re` looks much faster than for a border of words, and looks back at what is before.
This and the one below were 3 % of an analysis.
"""

WRITES_FROM_OUTSIDE: Final = deferred(r"\.(?<!\bself\.)(\w+)(?: = |\.append\()")
"""Writes to attributes of other objects: the name of the attribute."""

STAR_IMPORT: Final = deferred(r"\bimport \(?\*")
"""`from module import *`."""

DOTTED_NAME: Final = deferred(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
"""`a.b.c`."""
