"""Parse code that somebody is in the middle of typing."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from devls.syntax.lexing import lex
from devls.text.positions import LineIndex


@dataclass(frozen=True)
class SyntaxProblem:
    """What Python says of a statement that does not parse. Lines count from 1."""

    message: str
    line: int


# Each repair costs one more parse; a file with more broken places than this is
# not Python, and the analysis of what would be left is worth nothing.
MAX_REPAIRS = 8

_HEADER = re.compile(
    r"[ \t\f]*(?:async[ \t]+)?(?:def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b"
)
_WITHOUT_BODY = re.compile(r"expected an indented block.* on line (\d+)")


def parse_tolerantly(text: str) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
    """The tree of all that parses, and what does not. Never raises.

    What is in the tree stands where it stands in `text`: repairs replace lines, and move none.
    """
    problems: list[SyntaxProblem] = []
    repaired: str | None = text
    while repaired is not None and len(problems) < MAX_REPAIRS:
        text = repaired
        tree, problem = _parse(text)
        if tree is not None:
            return tree, tuple(problems)
        if problem is None:
            break
        problems.append(problem)
        repaired = _repair(text, problem)
    return ast.Module(body=[], type_ignores=[]), tuple(problems)


def _parse(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    try:
        return ast.parse(text), None
    except SyntaxError as error:
        return None, SyntaxProblem(error.msg, max(1, error.lineno or 1))
    except (ValueError, RecursionError, MemoryError) as error:
        return None, SyntaxProblem(str(error) or type(error).__name__, 1)


def _repair(text: str, problem: SyntaxProblem) -> str | None:
    """`text` without the statement that `problem` is about; None if that changes nothing."""
    index = LineIndex(text)
    lines = [index.line_text(line) for line in range(index.line_count)]
    if problem.line > len(lines):
        return None
    bare = _WITHOUT_BODY.search(problem.message)
    if bare:
        # The header is complete: it only waits for its block.
        header = int(bare[1]) - 1
        end = lex(text).logical_line(index.line_start(header)).end
        last = index.position(end)[0]
        lines[last] = f"{_without_comment(lines[last])} pass"
    else:
        _remove(text, index, lines, problem.line - 1)
    repaired = "\n".join(lines)
    return None if repaired == text else repaired


def _remove(text: str, index: LineIndex, lines: list[str], broken: int) -> None:
    """Replace the logical line around `broken`, and the block it heads, by `pass`."""
    line = lex(text).logical_line(index.line_start(broken))
    first, last = index.position(line.start)[0], index.position(line.end)[0]
    indent = _indent(lines[first])
    if _HEADER.match(lines[first]):
        # A block without its header would be taken for what it is not: code outside
        # of `no_grad`, of its function, of its condition.
        while last + 1 < len(lines) and _is_deeper(lines[last + 1], indent):
            last += 1
    # An indentation that fits nowhere is not mended by `pass` at the same indentation.
    stands = lines[first].strip() == "pass" and first == last
    lines[first : last + 1] = ["" if stands else f"{indent}pass"] + [""] * (last - first)


def _is_deeper(line: str, indent: str) -> bool:
    return not line.strip() or (line.startswith(indent) and len(_indent(line)) > len(indent))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _without_comment(line: str) -> str:
    comments = lex(line).comments
    return line[: comments[0].start] if comments else line
