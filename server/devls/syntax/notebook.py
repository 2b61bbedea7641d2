"""Jupyter notebooks: the code cells as one program, in their order."""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from devls.syntax.source import Source

if TYPE_CHECKING:
    from devls.syntax.recovery import SyntaxProblem

SUFFIX = ".ipynb"

_MAGIC = re.compile(r"(?P<indent>[ \t]*)(?:[%!?]|[\w.\[\]]+\?{1,2}[ \t]*$)")
_ASSIGNED = re.compile(r"(?P<target>[ \t]*[\w, .]+=[ \t]*)[%!]")

# Cell magics after which there is Python all the same.
_AROUND_PYTHON = frozenset({"time", "timeit", "capture", "prun", "memit"})


class NotebookError(Exception):
    """The text is no notebook. Its own text is the clause behind "because"."""


@dataclass(frozen=True)
class Cell:
    """One code cell: its number among all cells (from 1), and its first line in the program (from 0)."""

    number: int
    line: int


@dataclass(frozen=True, eq=False)
class NotebookSource(Source):
    """A notebook as a program. Its text is that of the code cells; what is no Python in them is blank."""

    cells: tuple[Cell, ...] = ()

    @staticmethod
    def read(path: str, text: str) -> NotebookSource:
        """The program of a notebook's file.

        Raises:
            NotebookError: if the text is no notebook, or one in another language.
        """
        lines: list[str] = []
        cells: list[Cell] = []
        for number, code in _code_cells(text):
            cells.append(Cell(number, len(lines)))
            lines += _python(code)
        return NotebookSource(path, "".join(f"{line}\n" for line in lines), tuple(cells))

    def place_of(self, line: int) -> tuple[int | None, int]:
        """The cell of a line, and the line in it (from 0)."""
        index = bisect_right(self.cells, line, key=lambda cell: cell.line) - 1
        if index < 0:
            return None, line
        return self.cells[index].number, line - self.cells[index].line

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
        tree, problems = super()._parsed
        ends = {cell.line for cell in self.cells[1:]} | {self.index.line_count}
        for number, node in enumerate(tree.body):
            following = (
                tree.body[number + 1].lineno - 1 if number + 1 < len(tree.body) else self.index.line_count
            )
            last = any((node.end_lineno or 0) <= end <= following for end in ends)
            if last and isinstance(node, ast.Expr):
                # What stands at the end of a cell is shown: its value is used.
                shown = ast.copy_location(ast.Name("_", ast.Store()), node)
                tree.body[number] = ast.copy_location(ast.Assign([shown], node.value), node)
        return tree, problems


def _code_cells(text: str) -> list[tuple[int, str]]:
    try:
        content = json.loads(text)
    except ValueError:
        message = "it is not a notebook"
        raise NotebookError(message) from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        message = "it is not a notebook of version 4"
        raise NotebookError(message)
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    if str(language).lower() not in ("python", "python3", "ipython"):
        message = f"it is a notebook in {language}"
        raise NotebookError(message)
    found = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            code = cell.get("source", "")
            found.append((number, "".join(map(str, code)) if isinstance(code, list) else str(code)))
    return found


def _python(code: str) -> list[str]:
    """The lines of a cell, those that are no Python replaced."""
    lines = code.splitlines()
    if lines and lines[0].startswith("%%"):
        if lines[0][2:].split(" ")[0].strip() not in _AROUND_PYTHON:
            return [""] * len(lines)
        lines[0] = ""
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Only now: a line of a string, or of an expression in brackets, may begin with a percent sign.
        return [_without_magic(line) for line in lines]
    return lines


def _without_magic(line: str) -> str:
    magic = _MAGIC.match(line)
    if magic:
        return f"{magic['indent']}pass"
    assigned = _ASSIGNED.match(line)
    return f"{assigned['target']}None" if assigned else line
