"""Positions of the parts of a file: parents, grouping parentheses, the place of a statement among others."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from devls.syntax.lexing import lexed
from devls.syntax.nodes import asked, asked_of_file, holders_in, is_gone, of_tree
from devls.text.edits import Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devls.syntax.live import Change
    from devls.syntax.source import Source

DEFAULT_INDENT = "    "

_LINE_END = re.compile(r"\r\n|\r|\n")

COMPOUND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Match,
    *((ast.TryStar,) if hasattr(ast, "TryStar") else ()),
)
"""Statements that hold blocks."""

ATOMS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.JoinedStr,
)
"""Expressions that bind as tightly as anything, and can be followed by `.`, `[` or `(`."""

STRING_PARTS = (ast.JoinedStr, *((ast.TemplateStr,) if hasattr(ast, "TemplateStr") else ()))


# Edits of one file come one after the other; walking its tree once for all of them is enough.
@of_tree(maxsize=8)
def parents(source: Source) -> Parents:
    """From each node of the tree to the one that holds it."""
    return Parents(source.statements)


_RECENT: Final = 16
"""Nodes whose ancestors are kept: an `elif` has all before it above it, and all of these are asked for."""


class Parents:
    """From each node of a tree to the one that holds it; of the statements at the top, only those are walked that matter."""

    def __init__(self, statements: list[ast.stmt]) -> None:
        self._module = ast.Module(body=statements, type_ignores=[])
        self._statements = statements
        self._first_lines = [_first_line(each) for each in statements]
        self._holders: dict[ast.AST, ast.AST] = dict.fromkeys(statements, self._module)
        self._walked: set[ast.AST] = set()
        self._above: dict[ast.AST, tuple[ast.AST, ...]] = {}

    def __contains__(self, node: ast.AST) -> bool:
        return self.get(node) is not None

    def get(self, node: ast.AST) -> ast.AST | None:
        """Parent of a node; None for the tree itself, and for nodes of another one."""
        holders = self._holders
        if node not in holders and node is not self._module and len(self._walked) < len(self._statements):
            for statement in self._around(node):
                if statement not in self._walked:
                    self._walked.add(statement)
                    holders.update(holders_in(statement))
                    if node in holders:
                        break
        return holders.get(node)

    def above(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """Ancestors of a node, from the inside out: many questions in a row are about the same few."""
        known = self._above.get(node)
        if known is None:
            found: list[ast.AST] = []
            parent = self.get(node)
            while parent is not None:
                found.append(parent)
                parent = self.get(parent)
            if len(self._above) == _RECENT:
                del self._above[next(iter(self._above))]
            known = self._above[node] = tuple(found)
        return known

    def _around(self, node: ast.AST) -> Iterator[ast.stmt]:
        """The statements that may hold a node, by its line."""
        line: int | None = getattr(node, "lineno", None)
        if line is None:
            yield from self._statements
            return
        for number in range(bisect_right(self._first_lines, line) - 1, -1, -1):
            statement = self._statements[number]
            if (statement.end_lineno or line) < line:
                break
            yield statement


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def ancestors(source: Source, node: ast.AST) -> tuple[ast.AST, ...]:
    """Ancestors of `node`, from the inside out; empty for a node of another tree."""
    return parents(source).above(node)


def unit_of(source: Source, node: ast.AST) -> str:
    """The function around a node, by its own name and those around it; a word for the body of the file if there is none."""
    around = ancestors(source, node)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inner = next((place for place, each in enumerate(around) if isinstance(each, functions)), len(around))
    names = [each.name for each in around[inner:] if isinstance(each, (*functions, ast.ClassDef))]
    return ".".join(reversed(names)) or "<module>"


def newline(source: Source) -> str:
    r"""The line end of the file: that of its first line, `\n` if it has none."""
    found = _LINE_END.search(source.text)
    return found[0] if found else "\n"


def statement_range(source: Source, statement: ast.stmt) -> Range:
    """From a statement's first character, its first decorator's `@` included, to its end."""
    found = source.range(statement)
    decorators = getattr(statement, "decorator_list", ())
    if not decorators:
        return found
    start = source.index.line_start(decorators[0].lineno - 1)
    return Range(source.text.index("@", start), found.end)


def block_of(source: Source, statement: ast.stmt) -> list[ast.stmt] | None:
    """The block that a statement stands in."""
    parent = parents(source).get(statement)
    for _, value in ast.iter_fields(parent) if parent else ():
        if isinstance(value, list) and statement in value:
            return value
    return None


@dataclass(frozen=True)
class Place:
    """Position of a statement among others."""

    range: Range
    line: Range
    """The logical line in which the statement ends, which for a compound one is not where it begins."""
    indent: str
    """The blanks before the statement's logical line."""
    begins_line: bool
    """It is the first thing on its logical line, on a physical line of its own."""
    ends_line: bool
    """Nothing but a comment follows on its logical line."""
    in_header: bool
    """It stands in a one-line suite: `if a: statement`."""


def place(source: Source, statement: ast.stmt) -> Place | None:
    """The place of a statement; None where nothing can be said beside it (an `elif`, a foreign node)."""
    if source.is_edited:
        # A quote that is opened far above makes another line of it.
        asked(("place", source.path, statement), lambda: _seen_from(_place(source, statement)))
    return _place(source, statement)


def _seen_from(found: Place | None) -> tuple[object, ...]:
    """A place without where in the file it is."""
    if found is None:
        return ()
    start = found.range.start
    length, begin, end = found.range.end - start, found.line.start - start, found.line.end - start
    return (length, begin, end, found.indent, found.begins_line, found.ends_line, found.in_header)


def _place(source: Source, statement: ast.stmt) -> Place | None:
    if is_gone(statement):
        return None
    text, lex = source.text, lexed(source)
    found = statement_range(source, statement)
    first, last = lex.logical_line(found.start), lex.logical_line(max(found.start, found.end - 1))
    physical = source.index.line_start(source.index.position(found.start)[0])
    start = lex.after(first.start)
    before = text[physical : found.start]
    begins = start == found.start and not before.strip(" \t\f") and text[physical - 1 : physical] != "\\"
    if text[found.start : found.start + 4] == "elif" or statement not in parents(source):
        return None
    line_start = source.index.line_start(source.index.position(start)[0])
    rest = lex.after(found.end)
    return Place(
        range=found,
        line=last,
        indent=text[line_start:start],
        begins_line=begins,
        ends_line=rest >= last.end,
        in_header=not begins and _has_header(source, statement, first),
    )


def _has_header(source: Source, statement: ast.stmt, line: Range) -> bool:
    """Whether the block of a statement that does not begin its line begins on that line, behind a colon."""
    parent = parents(source).get(statement)
    block = block_of(source, statement)
    return not isinstance(parent, ast.Module) and bool(block) and _begins_behind(source, block or [], line)


def _begins_behind(source: Source, block: list[ast.stmt], line: Range) -> bool:
    return statement_range(source, block[0]).start > lexed(source).after(line.start) and (
        lexed(source).logical_line(statement_range(source, block[0]).start) == line
    )


_UNTIL_BLOCK = 300
"""Statements among which the first blocks are looked for: each edit that adds a line does."""


@asked_of_file(maxsize=8)
def indent_unit(source: Source) -> str:
    """By how much a block is indented in this file: as most of its first blocks are."""
    return max(found, key=found.count) if (found := list(islice(_units(source), _BLOCKS))) else DEFAULT_INDENT


_BLOCKS = 9
"""Blocks that are looked at: one may be indented as no other one is."""


def _units(source: Source) -> Iterator[str]:
    for node in islice(_by_levels(source.statements), _UNTIL_BLOCK):
        if isinstance(node, COMPOUND) and isinstance(body := getattr(node, "body", None), list):
            outer, inner = _place(source, node), _place(source, body[0])
            if outer and inner and outer.begins_line and inner.begins_line:
                deeper = inner.indent.removeprefix(outer.indent)
                if deeper and deeper != inner.indent:
                    yield deeper
                elif not outer.indent and inner.indent:
                    yield inner.indent


def _by_levels(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Statements and those below them, level by level; what lies behind the one that was looked for is not touched."""
    while nodes:
        yield from nodes  # those below are found when somebody asks for them
        nodes = [
            child
            for node in nodes
            for child in ast.iter_child_nodes(node)
            if isinstance(child, _HOLD_STATEMENTS)
        ]


_HOLD_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)


def grouping(source: Source, node: ast.AST) -> Range:
    """The range of an expression with the innermost parentheses that do nothing but group it.

    The parentheses of a call with one argument, of bases and the like belong to what is around it.
    """
    lex, text = lexed(source), source.text
    inner = source.range(node)
    opened, closed = lex.before(inner.start), lex.after(inner.end)
    if not (text[opened : opened + 1] == "(" and lex.brackets.get(opened) == closed):
        return inner
    around = next((each for each in ancestors(source, node) if hasattr(each, "lineno")), None)
    if around is None or isinstance(around, ast.ClassDef):
        return inner
    bounds = source.range(around)
    owned = isinstance(around, ast.Call) and closed + 1 == bounds.end
    if owned or opened < bounds.start or closed >= bounds.end:
        return inner
    return Range(opened, closed + 1)


def assigned_to(source: Source, node: ast.AST) -> ast.expr | None:
    """Target of the statement that assigns an expression, or the result of methods called on it.

    `x` of `x = f().to(d)`, for instance.
    """
    above = parents(source)
    each, parent = node, above.get(node)
    while isinstance(parent, (ast.Attribute, ast.Call)) and (
        not isinstance(parent, ast.Call) or parent.func is each
    ):
        each, parent = parent, above.get(parent)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return parent.targets[0]
    statement = above.get(parent) if isinstance(parent, ast.Tuple) else None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if (
            isinstance(target, ast.Tuple)
            and isinstance(parent, ast.Tuple)
            and len(target.elts) == len(parent.elts)
        ):
            return target.elts[parent.elts.index(each)]  # type: ignore[arg-type]
    return None


@of_tree(maxsize=64)
def _spans(source: Source, cls: ast.ClassDef | None) -> tuple[list[int], list[int]]:
    """Offsets at which the lines of the statements of a body begin, and at which they end."""
    lines, body = source.index.line_start, source.statements if cls is None else cls.body
    return [lines(each.lineno - 1) for each in body], [lines(each.end_lineno or each.lineno) for each in body]


def saying(source: Source, texts: Iterable[str], cls: ast.ClassDef | None = None) -> list[ast.stmt]:
    """Statements at the top of a file, or of a class, on whose lines any of some texts stands.

    As `Source.mentions` of each, in one look.
    """
    begins, ends = _spans(source, cls)
    found = set[int]()
    for each in texts if begins else ():
        at = source.text.find(each, begins[0], ends[-1])
        while at >= 0:
            number = last = bisect_right(begins, at) - 1
            while number >= 0 and at < ends[number]:
                found.add(number)
                number -= 1
            at = source.text.find(each, max(at + 1, ends[last] if last >= 0 else 0), ends[-1])
    body = source.statements if cls is None else cls.body
    return [body[number] for number in sorted(found)]


def dotted(node: ast.expr) -> str:
    """`a.b.c` as it stands, and `a.b` of `a["b"]`; "" of anything else."""
    names: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node.slice, "value", None)
        if not isinstance(name, str) or not name.isidentifier():
            return ""
        names.append(name)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def place_after(place: Range, change: Change, length: int, said: list[Range]) -> Range | None:
    """A place in a text after an edit; None if it was edited. `said` are other places of the same finding."""
    tail = length - change.tail
    grown = Range(place.start + change.grown, place.end + change.grown)
    if place.start == place.end and place.start in (change.head, tail):
        # An insertion before or behind another place goes along with that place.
        behind = any(place.start == each.start for each in said)
        if behind is any(place.start == each.end for each in said):
            return None
        if place.start != (tail if behind else change.head):
            return None
        return grown if behind else place
    if place.end <= change.head:
        return place
    return None if place.start < tail else grown
