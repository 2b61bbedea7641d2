"""Files that a program has put aside for itself: what removes a file that it has just read, and saves such files, has saved that one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_REMOVES: Final = frozenset({"remove", "unlink"})


@priors.is_read_back.answer
def is_read_back(source: Source, call: ast.Call, path: ast.expr | None) -> bool:
    """Whether a function removes the file that a call in it reads, and its class, or else the function itself, saves files there."""
    around = ancestors(source, call)
    function = next((each for each in around if isinstance(each, _FUNCTIONS)), None)
    if function is None or path is None:
        return False
    wanted = _place(path, {})
    items = _items(function)
    if all(_place(each, items) != wanted for each in _removed(function)):
        return False
    cls = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    if cls is not None:
        return any(True for _ in _saves(cls))
    return any(_place(each.args[1], items) == wanted for each in _saves(function) if len(each.args) > 1)


def _removed(function: ast.AST) -> Iterator[ast.expr]:
    """The paths of the files that a function removes: `os.remove(path)`, `path.unlink()`."""
    for each in walk(function):
        if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Attribute):
            continue
        owner = each.func.value
        if isinstance(owner, ast.Name) and owner.id == "os" and each.func.attr in _REMOVES:
            yield from each.args[:1]
        elif each.func.attr == "unlink":
            yield owner


def _saves(code: ast.AST) -> Iterator[ast.Call]:
    """The calls of `torch.save`."""
    for each in walk(code):
        if (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr == "save"
            and isinstance(each.func.value, ast.Name)
            and each.func.value.id == "torch"
        ):
            yield each


def _items(function: ast.AST) -> dict[str, ast.expr]:
    """Iterables of the loops of a function, by the name of an item."""
    return {
        each.target.id: each.iter
        for each in walk(function)
        if isinstance(each, ast.For) and isinstance(each.target, ast.Name)
    }


def _place(path: ast.expr, items: dict[str, ast.expr]) -> str:
    """Identity of a file, or of the list of files that it is one of."""
    while True:
        if isinstance(path, ast.Subscript):
            path = path.value
        elif isinstance(path, ast.Name) and path.id in items:
            path, items = items[path.id], {}
        elif isinstance(path, ast.Call) and _only_wraps(path):
            path = path.args[0]
        else:
            return ast.dump(path)


def _only_wraps(call: ast.Call) -> bool:
    """`Path(path)`, `str(path)`: the same file."""
    return isinstance(call.func, ast.Name) and call.func.id in ("Path", "str") and len(call.args) == 1
