"""Edits by intent.

Each function returns the edit that does what its name says and nothing else, whatever stands around: the line
ends, indentation, comments and parentheses of the file stay. The answer is None, and nothing is offered, where that
cannot be promised (inside an f-string, an `elif`, a pattern).
"""

from __future__ import annotations

import ast
import textwrap
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from devls.syntax.layout import (
    COMPOUND,
    Place,
    block_of,
    grouping,
    indent_unit,
    newline,
    parents,
    place,
)
from devls.syntax.lexing import lexed
from devls.syntax.nodes import asked_of_file
from devls.syntax.shapes import is_atom, is_bare_generator, is_delimited, is_editable, shape_of, spaced
from devls.text.edits import Applicability, Edit, Range, apply_edits

if TYPE_CHECKING:
    from devls.syntax.source import Source

__all__ = [
    "add_argument",
    "add_import",
    "append",
    "as_safe",
    "assign_result",
    "delete_decorator",
    "delete_statement",
    "insert_after",
    "insert_before",
    "move_out",
    "prepend_argument",
    "replace",
    "wrap",
    "wrap_statement",
]


def append(source: Source, expr: ast.expr, suffix: str) -> Edit | None:
    """`expr` followed by `suffix`, which begins with `.`, `[` or `(`; in parentheses where it takes them."""
    if not is_editable(source, expr, suffix) or isinstance(getattr(expr, "ctx", None), (ast.Store, ast.Del)):
        return None
    found = source.range(expr)
    if is_bare_generator(source, expr):
        return Edit(found, f"({source.slice(expr)}{suffix})")
    if not is_atom(source, expr) and grouping(source, expr) == found:
        return Edit(found, spaced(source, found, f"({source.slice(expr)}){suffix}"))
    end = found.end if is_atom(source, expr) else grouping(source, expr).end
    return Edit(Range(end, end), spaced(source, Range(end, end), suffix))


def replace(source: Source, node: ast.AST, text: str) -> Edit | None:
    """`text` in the place of `node`: for an expression an expression, in parentheses where it takes them."""
    if isinstance(node, ast.stmt):
        at = place(source, node)
        return Edit(at.range, text) if at else None
    if not isinstance(node, ast.expr) or not is_editable(source, node, text):
        return None
    return _replace(source, node, text)


def wrap(source: Source, expr: ast.expr, before: str, after: str) -> Edit | None:
    """`expr` between `before` and `after`, as `torch.tensor(` and `)`.

    If `before` opens no bracket, or `expr` would not be one operand there, `expr` gets its own.
    """
    if not is_editable(source, expr, before + after) or isinstance(expr, ast.Starred):
        return None
    operand = source.slice(expr)
    if is_bare_generator(source, expr):
        # The parentheses are the call's, too: they stay, and the generator gets its own.
        return Edit(source.range(expr), f"({before}{operand}{after})")
    opens = before.endswith(("(", "[", "{"))
    loose = isinstance(expr, (ast.Tuple, ast.Yield, ast.YieldFrom)) if opens else True
    if loose and not is_atom(source, expr):
        operand = f"({operand})"
    return _replace(source, expr, before + operand + after)


def insert_before(source: Source, stmt: ast.stmt, code: str) -> Edit | None:
    """`code` (one or more lines, themselves not indented) as statements before `stmt`."""
    at = place(source, stmt)
    if at is None or _must_come_first(source, stmt):
        return None
    if at.begins_line:
        start = at.range.start - len(at.indent)
        return Edit(Range(start, start), _lines(source, code, at.indent) + newline(source))
    joined = _on_one_line(code)
    return Edit(Range(at.range.start, at.range.start), f"{joined}; ") if joined else None


def insert_after(source: Source, stmt: ast.stmt, code: str) -> Edit | None:
    """`code` (one or more lines, themselves not indented) as statements after `stmt`, its comment included."""
    at = place(source, stmt)
    if at is None:
        return None
    compound = isinstance(stmt, COMPOUND)
    if (at.ends_line and not at.in_header) or (compound and at.begins_line):
        end = at.line.end
        return Edit(Range(end, end), newline(source) + _lines(source, code, at.indent))
    joined = _on_one_line(code)
    if joined is None or compound:
        return None
    return Edit(Range(at.range.end, at.range.end), f"; {joined}")


def delete_statement(source: Source, stmt: ast.stmt) -> Edit | None:
    """Without `stmt`; where it is alone in its block, `pass` stands in its place."""
    at, block = place(source, stmt), block_of(source, stmt)
    if at is None or block is None:
        return None
    if len(block) == 1 and not isinstance(parents(source).get(stmt), ast.Module):
        return _without_else(source, stmt, at) or Edit(at.range, "pass")
    index, text, lex = block.index(stmt), source.text, lexed(source)
    if at.begins_line and (at.ends_line or isinstance(stmt, COMPOUND)):
        line_end = at.line.end + len(newline(source)) if at.line.end < len(text) else len(text)
        return Edit(Range(at.range.start - len(at.indent), min(line_end, len(text))), "")
    behind = lex.after(at.range.end)
    followed = text[behind : behind + 1] == ";" and lex.after(behind + 1) < at.line.end
    if followed and index + 1 < len(block):
        return Edit(Range(at.range.start, source.range(block[index + 1]).start), "")
    if index and lex.logical_line(source.range(block[index - 1]).end) == at.line:
        return Edit(Range(source.range(block[index - 1]).end, at.range.end), "")
    # Alone on its line but for a closing semicolon.
    return Edit(at.range, "pass")


def _without_else(source: Source, stmt: ast.stmt, at: Place) -> Edit | None:
    """Without the `else:` whose only statement it is; None where it is none, or a comment stands there."""
    around = parents(source).get(stmt)
    if not isinstance(around, ast.If) or around.orelse != [stmt] or not at.begins_line or not at.ends_line:
        return None
    text, last = source.text, place(source, around.body[-1])
    if last is None or not last.ends_line or text[last.line.end : at.range.start].strip() != "else:":
        return None
    return None if text[at.range.end : at.line.end].strip() else Edit(Range(last.line.end, at.line.end), "")


def add_argument(source: Source, call: ast.Call, argument: str) -> Edit | None:
    """`call` with one more argument, `device=x.device` or a positional one; None if it has that keyword."""
    if not is_editable(source, call, argument):
        return None
    lex, text = lexed(source), source.text
    closing = source.range(call).end - 1
    opening = lex.brackets.get(closing)
    added = ast.parse(f"f({argument})", mode="eval").body
    if opening is None or not isinstance(added, ast.Call):
        return None
    if added.keywords and any(each.arg == added.keywords[0].arg for each in call.keywords):
        return None
    if added.args and call.keywords:
        first = min(source.range(each).start for each in call.keywords)
        return Edit(Range(first, first), f"{argument}, ")
    if not call.args and not call.keywords:
        at = (
            opening + 1
            if lex.after(opening + 1) == closing and not _has_comment(source, opening)
            else closing
        )
        return Edit(Range(at, at), argument)
    if len(call.args) == 1 and is_bare_generator(source, call.args[0]):
        found = source.range(call.args[0])
        return Edit(found, f"({source.slice(call.args[0])}, {argument})")
    last = lex.before(closing)
    comma = text[last] == ","
    last_line, closing_line = (source.index.position(each)[0] for each in (last, closing))
    own_line = source.index.line_text(last_line)
    if closing_line == last_line or not comma:
        return Edit(Range(last + 1, last + 1), f" {argument}" if comma else f", {argument}")
    indent = own_line[: len(own_line) - len(own_line.lstrip())]
    end = source.index.line_start(last_line) + len(own_line)
    return Edit(Range(end, end), f"{newline(source)}{indent}{argument},")


def prepend_argument(source: Source, call: ast.Call, argument: str) -> Edit | None:
    """`call` with one more positional argument, before all others."""
    if not is_editable(source, call, argument):
        return None
    closing = source.range(call).end - 1
    opening = lexed(source).brackets.get(closing)
    if opening is None or (len(call.args) == 1 and is_bare_generator(source, call.args[0])):
        return None
    comma = ", " if call.args or call.keywords else ""
    return Edit(Range(opening + 1, opening + 1), f"{argument}{comma}")


def assign_result(source: Source, stmt: ast.stmt, target: str) -> Edit | None:
    """`target = ` before an expression statement, whose result is discarded so far."""
    if not isinstance(stmt, ast.Expr):
        return None
    start = source.range(stmt).start
    return Edit(Range(start, start), f"{target} = ")


def wrap_statement(
    source: Source,
    stmt: ast.stmt,
    header: str,
    last: ast.stmt | None = None,
    *,
    inside: tuple[Edit, ...] = (),
) -> Edit | None:
    """`stmt` (and those of its block up to `last`) as the block of `header` (`with torch.no_grad():`), indented.

    None if it shares its line, or `last` does, or so many lines would move that nobody reads the edit. Edits `inside` the
    block are made as well.
    """
    at, end_at = place(source, stmt), place(source, stmt if last is None else last)
    if at is None or not at.begins_line or _must_come_first(source, stmt):
        return None
    if end_at is None or not end_at.ends_line:
        return None
    text, lex, unit, eol = source.text, lexed(source), indent_unit(source), newline(source)
    first, final = (source.index.position(each)[0] for each in (at.range.start, end_at.range.end))
    if final - first >= _LINES_MOVED:
        return None
    start = at.range.start
    changes = [*inside, Edit(Range(start, start), f"{header}{eol}{at.indent}{unit}")]
    for line in range(first + 1, final + 1):
        begin = source.index.line_start(line)
        gone = any(each.range.start < begin < each.range.end for each in inside)
        if lex.string_at(begin) is None and source.index.line_text(line).strip() and not gone:
            changes.append(Edit(Range(begin, begin), unit))
    whole = Range(start, source.index.line_start(final + 1))
    return Edit(whole, apply_edits(text[: whole.end], changes)[start:])


_LINES_MOVED: Final = 400
"""Lines that an edit indents or brings back; each finding in a long block may have one such edit."""


def move_out(source: Source, block: ast.With, first: ast.stmt) -> Edit | None:
    """The statements of a block from `first` to its end behind the block; in its place, where `first` is all that it begins with.

    None where a comment of the header would be lost, or lines are shared.
    """
    header, at = place(source, block), place(source, first)
    if header is None or at is None or not header.begins_line or at.in_header or not at.begins_line:
        return None
    text, lex, whole = source.text, lexed(source), first is block.body[0]
    start = at.range.start - len(at.indent)
    if whole and "#" in text[header.range.start : start]:
        return None
    if source.index.position(header.line.end)[0] - source.index.position(start)[0] >= _LINES_MOVED:
        return None
    end = min(header.line.end + len(newline(source)), len(text))
    depth = len(at.indent) - len(header.indent)
    lines = list[str]()
    begin = start
    for line in text[start:end].splitlines(keepends=True):
        inside = lex.string_at(begin) is not None
        lines.append(line if inside or not line[:depth].isspace() else line[depth:])
        begin += len(line)
    return Edit(Range(header.range.start - len(header.indent) if whole else start, end), "".join(lines))


def as_safe(source: Source | None, edits: tuple[Edit, ...], safe: Applicability) -> Applicability:
    """As safe as edits are in themselves, but unsafe where a comment is lost: nobody loses one without having looked."""
    if safe is not Applicability.SAFE or source is None:
        return safe
    return Applicability.UNSAFE if _loses_comment(source, edits) else safe


def _loses_comment(source: Source, edits: tuple[Edit, ...]) -> bool:
    """Whether edits replace code that holds a comment by code that does not; what replaces comments alone is meant to."""
    comments, text = lexed(source).comments, source.text
    written = "\n".join(each.text for each in edits)
    for edit in edits:
        lost, end = False, edit.range.start
        code = ""
        for number in range(bisect_right(comments, end, key=lambda each: each.end), len(comments)):
            comment = comments[number]
            if comment.start >= edit.range.end:
                break
            lost = lost or text[comment.start : comment.end] not in written
            code, end = code + text[end : comment.start], comment.end
        if lost and (code + text[end : edit.range.end]).strip():
            return True
    return False


def delete_decorator(source: Source, decorator: ast.expr) -> Edit | None:
    """Without a decorator; None where something else stands on its line."""
    index, found = source.index, source.range(decorator)
    line = index.position(found.start)[0]
    if index.line_text(line).strip() != f"@{source.text[found.start : found.end]}":
        return None
    return Edit(Range(index.line_start(line), index.line_start(line + 1)), "")


@asked_of_file(maxsize=8)
def _has_import(source: Source, statement: str) -> bool:
    wanted = ast.dump(ast.parse(statement).body[0])
    return any(ast.dump(each) == wanted for each in source.statements)


@asked_of_file(maxsize=4)
def _around_imports(source: Source) -> tuple[ast.stmt | None, ast.stmt | None]:
    """The last statement behind which an import goes, if there is one, and the first statement of the file."""
    body = source.statements
    index = 0
    while index < len(body) and _must_come_first(source, body[index]):
        index += 1
    after = index - 1
    while index < len(body) and isinstance(body[index], (ast.Import, ast.ImportFrom)):
        after, index = index, index + 1
    return body[after] if after >= 0 else None, body[0] if body else None


def add_import(source: Source, statement: str) -> tuple[Edit, ...]:
    """`statement` (`import torch`) at the top of the file; no edit if it is there."""
    if _has_import(source, statement):
        return ()
    last, first = _around_imports(source)
    if last is not None:
        blank = newline(source) if _is_docstring(source, last) else ""
        edit = insert_after(source, last, blank + statement)
    elif first is not None:
        blank = "" if isinstance(first, (ast.Import, ast.ImportFrom)) else "\n\n"
        edit = insert_before(source, first, statement + blank)
    else:
        end = len(source.text)
        start = newline(source) if source.text and not source.text.endswith(("\n", "\r")) else ""
        edit = Edit(Range(end, end), f"{start}{statement}{newline(source)}")
    return (edit,) if edit else ()


def _replace(source: Source, node: ast.expr, text: str) -> Edit | None:
    kind = shape_of(text)
    if kind is None:
        return None
    found = source.range(node)
    if is_bare_generator(source, node):
        return Edit(found, f"(({text}))" if kind == "loose" else f"({text})")
    if kind == "loose" or (kind == "operator" and not is_delimited(source, node)):
        text = f"({text})"
    return Edit(found, spaced(source, found, text))


def _must_come_first(source: Source, stmt: ast.stmt) -> bool:
    """Docstrings and `from __future__` imports mean something only before everything else."""
    future = isinstance(stmt, ast.ImportFrom) and stmt.module == "__future__"
    return future or _is_docstring(source, stmt)


def _is_docstring(source: Source, stmt: ast.stmt) -> bool:
    holder, block = parents(source).get(stmt), block_of(source, stmt)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return (
        isinstance(holder, documented)
        and block is not None
        and block[0] is stmt
        and isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _has_comment(source: Source, opening: int) -> bool:
    closing = lexed(source).brackets[opening]
    return any(opening < each.start < closing for each in lexed(source).comments)


def _lines(source: Source, code: str, indent: str) -> str:
    """`code` indented, with the line ends and the indentation unit of the file."""
    unit = indent_unit(source)
    lines = textwrap.dedent(code).splitlines()
    return newline(source).join(indent + _reindented(line, unit) if line.strip() else "" for line in lines)


def _reindented(line: str, unit: str) -> str:
    body = line.lstrip(" ")
    depth, rest = divmod(len(line) - len(body), 4)
    return unit * depth + " " * rest + body


def _on_one_line(code: str) -> str | None:
    """`code` as simple statements with semicolons between them, if it can be written so."""
    try:
        statements = ast.parse(textwrap.dedent(code)).body
    except SyntaxError:
        return None
    if "#" in code or any(isinstance(each, COMPOUND) for each in statements):
        return None
    return "; ".join(line.strip().rstrip(";") for line in code.strip().splitlines()) if statements else None
