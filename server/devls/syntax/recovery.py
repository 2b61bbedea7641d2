"""Parse code that somebody is in the middle of typing."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class SyntaxProblem:
    """What Python says of a statement that does not parse. Lines count from 1."""

    message: str
    line: int


# Each repair costs one more parse; a file with more broken places than this is
# not Python, and the analysis of what would be left is worth nothing.
MAX_REPAIRS = 8


def parse_tolerantly(text: str) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
    """The tree of all that parses, and what does not. Never raises."""
    problems: list[SyntaxProblem] = []
    for _ in range(MAX_REPAIRS):
        tree, problem = _parse(text)
        if tree is not None:
            return tree, tuple(problems)
        if problem is None:
            break
        problems.append(problem)
        repaired = _blank(text, problem.line)
        if repaired is None or repaired == text:
            break
        text = repaired
    return ast.Module(body=[], type_ignores=[]), tuple(problems)


def _parse(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    try:
        return ast.parse(text), None
    except SyntaxError as error:
        return None, SyntaxProblem(error.msg, error.lineno or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        return None, SyntaxProblem(str(error) or type(error).__name__, 1)


def _blank(text: str, line: int) -> str | None:
    """`text` with one line replaced by `pass` at its indentation."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    broken = lines[line - 1]
    indent = broken[: len(broken) - len(broken.lstrip())]
    lines[line - 1] = f"{indent}pass"
    return "\n".join(lines)
