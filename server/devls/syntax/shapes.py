"""How tightly expressions hold together, and what may stand in their place."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devls.syntax.layout import ATOMS, STRING_PARTS, ancestors, grouping, parents
from devls.syntax.lexing import lexed

if TYPE_CHECKING:
    from devls.syntax.source import Source
    from devls.text.edits import Range

# Characters allowed inside an f-string on every version of Python: none that could end the replacement field, or the
# string.
_FORMATTABLE = re.compile(r"[\w .,()\[\]+*/=-]*")


def is_editable(source: Source, node: ast.expr, text: str) -> bool:
    """Whether `node` stands where its position says, and `text` can be put there."""
    if isinstance(node, (ast.Starred, ast.Slice)) or _is_subscript_tuple(node):
        return False
    above = ancestors(source, node)
    if not above or any(isinstance(each, ast.pattern) for each in above):
        return False
    if not any(isinstance(each, STRING_PARTS) for each in above):
        return True
    if isinstance(node, ast.JoinedStr) or not _FORMATTABLE.fullmatch(text):
        return False
    # Before 3.12 positions inside f-strings are not always those of the file.
    try:
        seen = ast.parse(f"({source.slice(node)}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return ast.dump(seen) == ast.dump(node)


def is_atom(source: Source, expr: ast.expr) -> bool:
    """Whether `.`, `[` or `(` behind an expression takes all of it."""
    if isinstance(expr, (ast.Tuple, ast.GeneratorExp)):
        found = source.range(expr)
        return lexed(source).brackets.get(found.start) == found.end - 1
    return isinstance(expr, ATOMS) or _is_short_constant(expr)


def _is_short_constant(node: ast.expr) -> bool:
    """`1.to` is no attribute of 1; strings and names of constants are like any atom."""
    return isinstance(node, ast.Constant) and not (
        isinstance(node.value, (int, float, complex)) and not isinstance(node.value, bool)
    )


def is_bare_generator(source: Source, node: ast.expr) -> bool:
    """`x for x in y` as the one argument of a call, whose parentheses it shares."""
    parent = parents(source).get(node)
    return (
        isinstance(node, ast.GeneratorExp)
        and isinstance(parent, ast.Call)
        and source.range(parent).end == source.range(node).end
    )


def is_delimited(source: Source, node: ast.expr) -> bool:
    """Whether an expression of any operators can stand in the place of `node` as it is."""
    if grouping(source, node) != source.range(node):
        return True
    parent = parents(source).get(node)
    if isinstance(parent, ast.Call):
        return node is not parent.func
    if isinstance(parent, ast.Subscript):
        return node is not parent.value
    if isinstance(parent, ast.Dict):
        return node in parent.keys or parent.keys[parent.values.index(node)] is not None
    kinds = (ast.keyword, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.List, ast.Set)
    return isinstance(parent, kinds) or (isinstance(parent, ast.Tuple) and not isinstance(node, ast.Starred))


def shape_of(text: str) -> str | None:
    """How tightly an expression's text holds together: `atom`, `operator` or `loose`; None if it is none."""
    try:
        node = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not text.strip():
        return None
    stripped = ast.parse(f"({text.strip()}\n)", mode="eval").body
    enclosed = stripped.col_offset >= (1 if isinstance(node, (ast.Tuple, ast.GeneratorExp)) else 2)
    if enclosed or isinstance(node, ATOMS) or _is_short_constant(node):
        return "atom"
    if isinstance(node, (ast.Tuple, ast.GeneratorExp, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred)):
        return "loose"
    return "operator"


def spaced(source: Source, found: Range, text: str) -> str:
    """`text`, kept apart from the words beside `found`: `return(x)` is right, `returnx` is not."""
    if _is_word(source.text[found.start - 1 : found.start]) and _is_word(text[:1]):
        text = f" {text}"
    if _is_word(source.text[found.end : found.end + 1]) and _is_word(text[-1:]):
        text = f"{text} "
    return text


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" if character else False


def _is_subscript_tuple(node: ast.expr) -> bool:
    """`1:2, 3`, which is no expression outside of `x[1:2, 3]`."""
    return isinstance(node, ast.Tuple) and any(isinstance(each, ast.Slice) for each in node.elts)
