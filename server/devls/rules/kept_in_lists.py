"""Fixes where a list is filled that is read on the host only. This module knows no rule."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.library import catalog
from devls.rules import repairs
from devls.rules.rule import edits, fixes
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, dotted, parents
from devls.syntax.nodes import of_tree, walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from devls.syntax.layout import Parents
    from devls.syntax.source import Source
    from devls.values.history import Site
    from devls.values.value import TensorValue

_FILLS: Final = frozenset({"append", "extend", "insert", "clear", "pop", "appendleft"})
_READS: Final = frozenset({"item", "tolist", "cpu", "detach", "numpy"})
"""Methods that a copy on the host without a graph has, with the same contents."""
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOKS: Final = frozenset({"len", "print", "str", "bool"})


def where_put(put: Site | None, tensor: TensorValue, way: str, read: Site) -> tuple[Fix, ...]:
    """Keep what the host reads where a list is filled, if the file does nothing else with the list."""
    if put is None or put.source is not read.source or not isinstance(put.node, ast.expr):
        return ()
    source = put.source
    listed = list_filled(source, put.node)
    if listed is None or ast.unparse(listed) != ast.unparse(read.node):
        return ()
    if not only_read_on_host(source, listed, read.node):
        return ()
    ways = (".item()", way) if tensor.shape == () else (way,)
    text = repairs.as_receiver(source, put.node)
    kept = (
        Fix(f"Keep `{text}{each}`", edits(rewrite.append(source, put.node, each)), Applicability.UNSAFE)
        for each in ways
    )
    return repairs.elsewhere(fixes(*kept), source)


def list_filled(source: Source, value: ast.expr) -> ast.expr | None:
    """The list that an expression is put into: `losses` of `losses.append(loss)`."""
    call = parents(source).get(value)
    if isinstance(call, ast.Call) and value in call.args and isinstance(call.func, ast.Attribute):
        return call.func.value
    return None


def only_read_on_host(source: Source, listed: ast.expr, read: ast.AST | None = None) -> bool:
    """Whether all that a file does with a list is to fill it, to look at it, and to have numpy read it, as `read` does."""
    around = ancestors(source, listed) if isinstance(listed, ast.Name) else ()
    function = next((each for each in around if isinstance(each, _FUNCTIONS)), None)
    uses = _uses(source, source.tree if function is None else function, type(listed), ast.unparse(listed))
    handed = {each is read or known for each, known in uses}
    return None not in handed and True in handed


@of_tree(maxsize=64)
def _uses(
    source: Source, around: ast.AST, kind: type[ast.AST], wanted: str
) -> list[tuple[ast.AST, bool | None]]:
    """Reads of what an expression says, each with whether it gives that to a library: a file may fill a list at a thousand places."""
    above = parents(source)
    return [
        (each, _is_handed_over(source, each, above))
        for each in walk(around)
        if type(each) is kind
        and isinstance(getattr(each, "ctx", None), ast.Load)
        and ast.unparse(each) == wanted
    ]


def _is_handed_over(source: Source, use: ast.AST, above: Parents) -> bool | None:
    """Whether a use gives the list to a library; None where it may be anything else than filling it or looking at it."""
    around = above.get(use)
    if isinstance(around, ast.Attribute):
        return False if around.attr in _FILLS else None
    if isinstance(around, ast.comprehension):
        return True if around.iter is use and _reads_each(around, above) else None
    if isinstance(around, ast.keyword):
        around = above.get(around)
    if isinstance(around, ast.Call) and around.func is not use:
        if isinstance(around.func, ast.Name) and around.func.id in _LOOKS:
            return False
        return True if _reads_on_host(source, around.func) else None
    return False if isinstance(around, (ast.FormattedValue, ast.If, ast.While)) else None


def _reads_each(part: ast.comprehension, above: Parents) -> bool:
    """Whether a comprehension reads each item on the host: `[each.item() for each in losses]`."""
    whole = above.get(part)
    if not isinstance(part.target, ast.Name) or not isinstance(whole, (ast.ListComp, ast.GeneratorExp)):
        return False
    return all(
        isinstance(read := above.get(each), ast.Attribute) and read.attr in _READS
        for each in walk(whole)
        if isinstance(each, ast.Name) and each.id == part.target.id and isinstance(each.ctx, ast.Load)
    )


def _reads_on_host(source: Source, function: ast.expr) -> bool:
    """Whether a function of a module that a file imports converts what it is given to numpy: `np.mean`, `plt.plot`."""
    root, _, rest = dotted(function).partition(".")
    module = _imported(source.tree).get(root)
    return module is not None and catalog.host_reader(f"{module}.{rest}" if rest else module)


@of_tree(maxsize=64)
def _imported(tree: ast.AST) -> dict[str, str]:
    """The names that a file binds by imports, and the modules they are taken from."""
    found: dict[str, str] = {}
    for each in walk(tree):
        if isinstance(each, ast.Import):
            for one in each.names:
                found[one.asname or one.name.partition(".")[0]] = one.name
        elif isinstance(each, ast.ImportFrom) and not each.level:
            for one in each.names:
                found[one.asname or one.name] = f"{each.module}.{one.name}"
    return found
