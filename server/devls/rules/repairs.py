"""Fixes that rules of several families share. This module knows no rule."""

from __future__ import annotations

import ast
import sys
from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of, parents
from devls.syntax.nodes import asked_of_file, of_tree, walk
from devls.text.edits import Applicability, Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.values.history import Site

_OPERATORS: Final = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//",
    ast.Mod: "%",
}  # fmt: skip


def out_of_place(source: Source, statement: ast.stmt | None, *, of_data: bool = False) -> tuple[Fix, ...]:
    """`x += y` becomes `x = x + y`, and `x.add_(y)` becomes `x = x.add(y)`; of a name or an attribute only.

    With `of_data`, it was `x.data` that was written.
    """
    text = ""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, (ast.Name, ast.Attribute)):
        sign = _OPERATORS.get(type(statement.op))
        target, value = _base(source, statement.target, of_data), source.slice(statement.value)
        if sign is not None:
            value = value.replace(f"{target}.data", target) if of_data else value
            atom = isinstance(
                statement.value, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)
            )
            text = f"{target} = {target} {sign} {value if atom else f'({value})'}"
    elif isinstance(statement, ast.Expr):
        text = _chain_out_of_place(source, statement.value, of_data)
    if not text or statement is None:
        return ()
    return (Fix("Do it out of place", (Edit(source.range(statement), text),), Applicability.UNSAFE),)


def _chain_out_of_place(source: Source, call: ast.expr, of_data: bool) -> str:
    """`x.mul_(a).add_(b)` as `x = x.mul(a).add(b)`; empty where the chain holds anything else."""
    rest, inner = "", call
    while isinstance(inner, ast.Call):
        function = inner.func
        if not (
            isinstance(function, ast.Attribute)
            and function.attr.endswith("_")
            and not function.attr.startswith("_")
        ):
            return ""
        between = source.text[source.range(function.value).end : source.range(function).end]
        given = source.text[source.range(function).end : source.range(inner).end]
        rest = f"{between[: -len(function.attr)]}{function.attr[:-1]}{given}{rest}"
        inner = function.value
    if not rest or not isinstance(inner, (ast.Name, ast.Attribute)):
        return ""
    target = _base(source, inner, of_data)
    rest = rest.replace(f"{target}.data", target) if of_data else rest
    return f"{target} = {target}{rest}"


def to_a_copy(source: Source, statement: ast.stmt | None) -> tuple[Fix, ...]:
    """`x = x.clone()` before `x[i] = y` and `x[i] += y`, and before the writes above it: what else holds `x` keeps what was there."""
    from devls.syntax.layout import block_of  # noqa: PLC0415  two uses

    text = _written_into(source, statement)
    if not text or statement is None:
        return ()
    block = block_of(source, statement) or [statement]
    first = next(each for each in block if each is statement or _written_into(source, each) == text)
    edit = rewrite.insert_before(source, first, f"{text} = {text}.clone()")
    return (Fix(f"Write to a copy of `{text}`", (edit,), Applicability.UNSAFE),) if edit is not None else ()


def _written_into(source: Source, statement: ast.stmt | None) -> str:
    """Of `x[i] = y` and `x[i] += y` the `x`; empty for anything else."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, (ast.Name, ast.Attribute)):
        return ""
    return source.slice(target.value)


def without_underscore(source: Source, node: ast.AST) -> tuple[Fix, ...]:
    """`return x.clamp_(0)` becomes `return x.clamp(0)`: the call whose result is used at once."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or not node.func.attr.endswith("_")
        or node.func.attr.startswith("_")
    ):
        return ()
    end = source.range(node.func).end
    return (Fix("Do it out of place", (Edit(Range(end - 1, end), ""),), Applicability.UNSAFE),)


def _base(source: Source, node: ast.expr, of_data: bool) -> str:
    inner = node.value if of_data and isinstance(node, ast.Attribute) and node.attr == "data" else node
    return source.slice(inner)


def as_itself(source: Source, node: ast.expr, text: str) -> Edit | None:
    """`text` in the place of `node`; without the statement where all it would do is to assign `text` to itself."""
    statement = parents(source).get(node)
    if (
        isinstance(statement, ast.Assign)
        and statement.value is node
        and [source.slice(each) for each in statement.targets] == [text]
    ):
        return rewrite.delete_statement(source, statement)
    return rewrite.replace(source, node, text)


_PRIMARIES: Final = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def as_receiver(source: Source, node: ast.expr) -> str:
    """The text of an expression as it stands before an attribute: `(a + b)`."""
    text = source.slice(node)
    return text if isinstance(node, _PRIMARIES) else f"({text})"


def statement_of(source: Source, node: ast.AST) -> ast.stmt | None:
    """The innermost statement that contains a node; found by places, so that a file may have many mistakes."""
    found: ast.stmt | None = None
    start, end = _begin(node), _end(node)
    blocks = [source.statements]
    while blocks:
        block = blocks.pop()
        at = bisect_right(block, start, key=_begin) - 1
        if at >= 0 and _end(block[at]) >= end:
            found = block[at]
            blocks = list(_blocks(found))
    return found


def _begin(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _blocks(statement: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks right inside a statement, those of its handlers and cases included."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if isinstance(block, list):
            yield block
    for field in ("handlers", "cases"):
        for each in getattr(statement, field, ()):
            yield from _blocks(each)


def bound_by(statement: ast.stmt) -> set[str]:
    """The names and attributes that a statement binds, as they are written."""
    return _named(statement, ast.Store)


def read_by(statement: ast.stmt) -> set[str]:
    """The names and attributes that a statement reads, as they are written."""
    return _named(statement, ast.Load)


def _named(statement: ast.stmt, how: type[ast.expr_context]) -> set[str]:
    return {
        ast.unparse(each)
        for each in walk(statement)
        if isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, how)
    }


def moved_behind(source: Source, moved: ast.stmt | None, anchor: ast.stmt | None) -> tuple[Edit, ...]:
    """The statement `moved` after `anchor`, both of one block; no edits where that is not so."""
    return _moved(source, moved, anchor, after=True)


def moved_before(source: Source, moved: ast.stmt | None, anchor: ast.stmt | None) -> tuple[Edit, ...]:
    """The statement `moved` before `anchor`, both of one block; no edits where that is not so, or it needs what is not there yet."""
    if moved is not None and anchor is not None and _needs(source, moved, anchor):
        return ()
    return _moved(source, moved, anchor, after=False)


def _needs(source: Source, moved: ast.stmt, anchor: ast.stmt) -> bool:
    """Whether a statement reads names that are bound between another one and itself."""
    block = block_of(source, anchor)
    if block is None or moved not in block or anchor not in block:
        return False
    names = {each.id for each in walk(moved) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    return any(
        isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id in names
        for part in block[block.index(anchor) : block.index(moved)]
        for each in walk(part)
    )


def unindented(source: Source, statement: ast.stmt) -> str:
    """The text of a statement, its further lines as far to the left as its first one."""
    first, *rest = source.slice(statement).split("\n")
    start = source.range(statement).start
    margin = source.text[source.index.line_start(source.index.position(start)[0]) : start]
    return "\n".join([first, *(each.removeprefix(margin) for each in rest)])


def _moved(
    source: Source, moved: ast.stmt | None, anchor: ast.stmt | None, *, after: bool
) -> tuple[Edit, ...]:
    if not isinstance(moved, (ast.Expr, ast.Assign)) or anchor is None or moved is anchor:
        return ()
    if block_of(source, moved) is None or block_of(source, moved) is not block_of(source, anchor):
        return ()
    text = source.slice(moved)
    removed = rewrite.delete_statement(source, moved)
    put = rewrite.insert_after(source, anchor, text) if after else rewrite.insert_before(source, anchor, text)
    return (removed, put) if removed is not None and put is not None else ()


def without_argument(site: Site, name: str) -> Edit | None:
    """The call at a place, without one of its keyword arguments; None where there is no such call, or a comment in it."""
    source, call = site.source, site.node
    if not isinstance(call, ast.Call):
        return None
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    index = next(
        (i for i, each in enumerate(parts) if isinstance(each, ast.keyword) and each.arg == name), None
    )
    if index is None:
        return None
    here = source.range(parts[index])
    if len(parts) == 1:
        return Edit(here, "")
    cut = (
        Range(source.range(parts[index - 1]).end, here.end)
        if index
        else Range(here.start, source.range(parts[1]).start)
    )
    between = source.text[cut.start : here.start] if index else source.text[here.end : cut.end]
    return Edit(cut, "") if between.strip() == "," else None  # a parenthesis, or a comment


def elsewhere(found: tuple[Fix, ...], source: Source) -> tuple[Fix, ...]:
    """Fixes as those of the file that `source` is, wherever the finding stands."""
    return tuple(replace(each, path=source.path) for each in found)


def where_they_part(one: Site, other: Site) -> tuple[Site, Site]:
    """The two places in the innermost function that has led to both."""
    first, second = (*one.calls, one), (*other.calls, other)
    for left, right in zip(first, second, strict=False):
        if left.node is not right.node:
            return left, right
    return one, other


_OF_TRAINING: Final = frozenset({"backward", "grad", "requires_grad_", "register_hook", "retain_grad"})


def without_gradients(source: Source, node: ast.AST) -> tuple[Fix, ...]:
    """The function around a place, decorated with `@torch.no_grad()`, in a file that calls it and differentiates nothing."""
    function = next((each for each in ancestors(source, node) if isinstance(each, ast.FunctionDef)), None)
    if function is None or function.decorator_list or trains(source, function):
        return ()
    if _speaks_of_training(source) or not _only_called(source, function.name):
        return ()
    edit = rewrite.insert_before(source, function, "@torch.no_grad()")
    title = "Decorate the function with `@torch.no_grad()`"
    return (Fix(title, (edit,), Applicability.UNSAFE),) if edit is not None else ()


@asked_of_file(maxsize=8)
def _speaks_of_training(source: Source) -> bool:
    named = (each.attr for top in source.statements for each in walk(top) if isinstance(each, ast.Attribute))
    return not _OF_TRAINING.isdisjoint(named)


@asked_of_file(maxsize=64)
def _only_called(source: Source, name: str) -> bool:
    """Whether a file calls a function, and hands it to nobody else, who may train with it."""
    above, calls = parents(source), 0
    for each in (node for top in source.statements for node in walk(top)):
        if name == (each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")):
            around = above.get(each)
            if not isinstance(around, ast.Call) or around.func is not each:
                return False
            calls += 1
    return calls > 0


@asked_of_file(maxsize=64)
def trains(source: Source, function: ast.AST) -> bool:
    """Whether a function, or one of its file that it calls by name, walks a graph: it cannot be without gradients."""
    named: dict[str, list[ast.AST]] = {}
    for top in source.statements:
        for each in walk(top):
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
                named.setdefault(each.name, []).append(each)
    seen, ahead = set[str](), [function]
    while ahead:
        for each in walk(ahead.pop()):
            if not isinstance(each, ast.Call):
                continue
            called = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
            # What is looked up, as an attack in the options, may need gradients itself.
            if called == "backward" or isinstance(each.func, ast.Subscript):
                return True
            if called in named and called not in seen:
                seen.add(called)
                ahead += named[called]
    return False


def is_read_later(source: Source, statement: ast.stmt, name: str) -> bool:
    """Whether anything may read a name behind a statement of a function; where nothing does, to bind it mends nothing."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    for around in ancestors(source, statement):
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = _lines_of_reads(around).get(name, [])
            # Behind it, or in a later iteration of the loop that it stands in.
            own = bisect_left(lines, last + 1) - bisect_left(lines, statement.lineno)
            return len(lines) - bisect_left(lines, first) > own
        named = isinstance(around, (ast.For, ast.AsyncFor)) and any(
            isinstance(each, ast.Name) and each.id == name for each in walk(around.target)
        )
        if isinstance(around, (ast.For, ast.AsyncFor, ast.While)) and not named:
            first = around.lineno
    return True


@of_tree(maxsize=64)
def _lines_of_reads(function: ast.AST) -> dict[str, list[int]]:
    """The lines on which a function reads each name.

    Reads in functions inside of it may happen at any time: they count as behind all lines.
    """
    found: dict[str, list[int]] = {}
    waiting = [(each, False) for each in ast.iter_child_nodes(function)]
    while waiting:
        node, later = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append(_BEHIND_ALL if later else node.lineno)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                found.setdefault(name, []).append(_BEHIND_ALL)
        later = later or isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef))
        waiting += [(each, later) for each in ast.iter_child_nodes(node)]
    return {name: sorted(lines) for name, lines in found.items()}


_BEHIND_ALL: Final = sys.maxsize
