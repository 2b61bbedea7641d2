"""Whether a function does what can go wrong, or what others go wrong on.

A mistake takes somebody who makes a tensor or an object, moves one, reads one on the host, writes into one, cuts or walks a
graph, or changes a mode. Functions that only compute from what they are given run like all others, but there is no need to
follow their calls: whoever is called runs by itself as well. This is read off the text, since it is asked of every function.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.evidence import code_patterns

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
_AUGMENTS: Final = ("+=", "-=", "*=", "/=", "@=")
_SAID: Final = (*_WORDS, *_AUGMENTS, "Tensor(")
_MAKERS: Final = (
    *"arange as_tensor empty eye from_numpy full linspace normal ones rand tensor where zeros".split(),
    "_like(",
    "Parameter(",
)


def _code(source: Source, function: ast.AST) -> str:
    """The text of a function without its docstring, which tells of devices and losses where nothing is done about them."""
    body = getattr(function, "body", None)
    first = body[0] if isinstance(body, list) else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return source.slice(function)
    whole, said = source.range(function), source.range(first)
    return source.text[whole.start : said.start] + source.text[said.end : whole.end]


def _only_builds(function: ast.AST, text: str) -> bool:
    """Whether a function puts a model together, does not call it, and hands it back.

    Mistakes in there are told of the classes, which run by themselves; and every user of the model follows the call.
    """
    body = getattr(function, "body", None)
    last = body[-1] if isinstance(body, list) else None
    given = last.value if isinstance(last, ast.Return) else None
    return (
        (
            isinstance(given, (ast.Name, ast.Tuple))
            or (isinstance(given, ast.Call) and isinstance(given.func, ast.Name))
        )
        and code_patterns.PUTS_TOGETHER.search(text) is not None
        and code_patterns.DOES_MORE_THAN_BUILD.search(text) is None
        and not any(f"{each}(" in text for each in code_patterns.ASSIGNS_NAME.findall(text))
    )


def touches(source: Source, function: ast.AST) -> bool:
    """Whether something has to do with a device, a graph or a model, going by its text."""
    return code_patterns.MENTIONS_TORCH.search(_code(source, function)) is not None


def acts(source: Source, function: ast.AST, *, is_method: bool = False) -> bool:
    """Whether the calls of a function that runs by itself are worth following.

    Those of a `forward` are: tensors that a module has kept meet there what it is given.
    """
    if getattr(function, "name", "") == "forward":
        return True
    text = _code(source, function)
    if not is_method and _only_builds(function, text):
        return False
    # Cheap tests come first, and no expression is looked for if the text has nothing of it.
    for each in _SAID:
        if each in text:
            return True
    return (
        code_patterns.ACTS_ON_TENSORS.search(text) is not None
        or (
            code_patterns.MAY_WRITE_ITEM.search(text) is not None
            and code_patterns.WRITES_ITEM.search(text) is not None
        )
        or ("_(" in text and code_patterns.IN_PLACE_CALL.search(text) is not None)
        or (any(each in text for each in _MAKERS) and code_patterns.MAKES_TENSORS.search(text) is not None)
        or (
            code_patterns.MAY_BUILD_OBJECT.search(text) is not None
            and code_patterns.BUILDS_OBJECT.search(text) is not None
        )
    )
