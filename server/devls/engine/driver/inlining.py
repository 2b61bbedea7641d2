"""Whether a function does what can go wrong, or what others go wrong on.

A mistake takes somebody who makes a tensor or an object, moves one, reads one on the host, writes into one, cuts or walks a
graph, or changes a mode. Functions that only compute from what they are given run like all others, but there is no need to
follow their calls: whoever is called runs by itself as well. This is read off the text, since it is asked of every function.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devls.syntax.source import Source

_WORDS: Final = (
    "device",
    "cuda",
    "optim",
    "criterion",
    "enable_grad",
    "inference_mode",
    "loss",
    "no_grad",
    "register_buffer",
    "requires_grad",
)
_DOES: Final = re.compile(
    r"\.(?:append|backward|cpu|cuda|data|detach_?|eval|grad|item|load(?:_state_dict)?|new_\w+|numpy|parameters|pin_memory|save"
    r"|state_dict|step|to|tolist|train|type|zero_grad)\b"
)
_AUGMENTS: Final = ("+=", "-=", "*=", "/=", "@=")
_MAY_WRITE: Final = re.compile(r"\]\s*=[^=]")
_WRITES: Final = re.compile(r"^[ \t]*[\w.]+\[.*\]\s*=[^=]", re.MULTILINE)
"""An item at the beginning of a statement: what is annotated, `sizes: list[int] = None`, is not written."""
_SAID: Final = (*_WORDS, *_AUGMENTS, "Tensor(")
_CHANGES: Final = re.compile(r"[a-z]_\(")
_MAKERS: Final = (
    *"arange as_tensor empty eye from_numpy full linspace normal ones rand tensor where zeros".split(),
    "_like(",
    "Parameter(",
)
_MAKES: Final = re.compile(
    r"\b(?:arange|as_tensor|empty|eye|from_numpy|full|linspace|normal|ones|rand\w*|tensor|where|zeros|Parameter)\(|\w_like\("
)
_BUILDS: Final = re.compile(r"\b(?<!raise )_?[A-Z]\w*[a-z]\w*\(")
_MAY_BUILD: Final = re.compile(r"[A-Z]\w*\(")


def _code(source: Source, function: ast.AST) -> str:
    """The text of a function without its docstring, which tells of devices and losses where nothing is done about them."""
    body = getattr(function, "body", None)
    first = body[0] if isinstance(body, list) else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return source.slice(function)
    whole, said = source.range(function), source.range(first)
    return source.text[whole.start : said.start] + source.text[said.end : whole.end]


_HANDLES: Final = re.compile(
    r"device|cuda|optim|criterion|enable_grad|inference_mode|\bloss|Loss\(|_loss\(|no_grad|register_buffer|[a-z]_\(|Tensor\("
    r"|\btorch\.(?!(?:fx|hub|jit|load|nn)\b)|\bF\."
    r"|\.(?:backward|cpu|data|detach_?|grad|item|new_\w+|numpy|pin_memory|save|step|to|tolist|type|zero_grad)\b"
    "|" + _MAKES.pattern
)
"""What those do who do more with a model than put it together."""
_PUTS_TOGETHER: Final = re.compile(_BUILDS.pattern + r"|\.load_state_dict\(")
_ASSIGNS: Final = re.compile(r"^[ \t]+(\w+)[ \t]*(?::[^=\n]+)?=[^=]", re.MULTILINE)


def _only_builds(function: ast.AST, text: str) -> bool:
    """Whether a function puts a model together, does not call it, and hands it back.

    What goes wrong in that is told of the classes, which run by themselves; and whoever uses the model follows the call.
    """
    body = getattr(function, "body", None)
    last = body[-1] if isinstance(body, list) else None
    given = last.value if isinstance(last, ast.Return) else None
    return (
        (
            isinstance(given, (ast.Name, ast.Tuple))
            or (isinstance(given, ast.Call) and isinstance(given.func, ast.Name))
        )
        and _PUTS_TOGETHER.search(text) is not None
        and _HANDLES.search(text) is None
        and not any(f"{each}(" in text for each in _ASSIGNS.findall(text))
    )


_TOUCHES: Final = re.compile(r"device|cuda|grad|backward|detach|\.to\(|\bnn\.|[mM]odel|[eE]ncoder|\bnet")


def touches(source: Source, function: ast.AST) -> bool:
    """Whether something has to do with a device, a graph or a model, going by its text."""
    return _TOUCHES.search(_code(source, function)) is not None


def acts(source: Source, function: ast.AST, *, is_method: bool = False) -> bool:
    """Whether the calls of a function that runs by itself are worth following.

    Those of a `forward` are: tensors that a module has kept meet there what it is given.
    """
    if getattr(function, "name", "") == "forward":
        return True
    text = _code(source, function)
    if not is_method and _only_builds(function, text):
        return False
    # What is cheapest comes first, and no expression is looked for where the text has nothing of it.
    for each in _SAID:
        if each in text:
            return True
    return (
        _DOES.search(text) is not None
        or (_MAY_WRITE.search(text) is not None and _WRITES.search(text) is not None)
        or ("_(" in text and _CHANGES.search(text) is not None)
        or (any(each in text for each in _MAKERS) and _MAKES.search(text) is not None)
        or (_MAY_BUILD.search(text) is not None and _BUILDS.search(text) is not None)
    )
