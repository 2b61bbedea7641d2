"""Jupyter notebooks: the code cells as one program, in their order."""

from __future__ import annotations

import ast
import json
import warnings
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from devls.syntax.recovery import MAX_REPAIRS, mended, without_leading_indent, without_names
from devls.syntax.remembering import of_texts
from devls.syntax.source import Source
from devls.text.edits import Edit, Range, apply_edits
from devls.text.patterns import deferred
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.syntax.recovery import SyntaxProblem

SUFFIX = ".ipynb"

_LINE_END = deferred(r"\r\n|\r|\n")
_MAGIC = deferred(r"(?P<indent>[ \t]*)(?:[%!?]|[\w.\[\]]+\?{1,2}[ \t]*$)")
_TIMED = deferred(r"(?P<indent>[ \t]*)%time(?P<gap>[ \t]+)(?=[\w, .\[\]]+=[^=])")
_ASSIGNED = deferred(r"(?P<target>[ \t]*(?=\S)[\w, .]+=[ \t]*)[%!]")

_COLOR = deferred("\x1b\\[[0-9;]*m")
_POINTED_TO = deferred(r"(?m)^-+> *[0-9]+ (?P<code>.*)$")

_AUTOMAGIC = deferred(
    r"\s*(alias|alias_magic|autoawait|autocall|automagic|bookmark|cat|cd|colors|conda|config|cp|debug|dhist|dirs|doctest_mode|edit"
    r"|env|gui|history|killbgscripts|ldir|lf|lk|ll|load|load_ext|loadpy|logstart|ls|lsmagic|lx|macro|magic|mamba|matplotlib|micromamba"
    r"|mkdir|mv|notebook|page|pastebin|pdb|pinfo|pip|popd|precision|prun|psearch|psource|pushd|pwd|pycat|pylab|quickref|recall|rehashx"
    r"|reload_ext|rerun|reset|rm|rmdir|run|save|sc|set_env|sx|system|tb|time|timeit|unalias|unload_ext|uv|who|who_ls|whos|xdel|xmode)(?!\S)"
)
"""Magics and aliases of IPython's, which it runs without their sign where a cell has one line."""

_REPLACED = "\ufffd"
_NO_TEXT = deferred("[\\0\\ud800-\\udfff]")  # JSON can write them, Python cannot read them

# Cell magics after which there is Python all the same.
_AROUND_PYTHON = frozenset({"time", "timeit", "capture", "prun", "memit"})


class NotebookError(Exception):
    """The text is no notebook. Its own text is the clause behind "because"."""


class ForeignNotebookError(NotebookError):
    """The text is a notebook in another language than Python."""


@dataclass(frozen=True)
class Cell:
    """One code cell: its number among all cells (from 1), and its first line in the program (from 0)."""

    number: int
    line: int
    code: str = ""
    """Text of the cell: the program may have something else in place of a line."""


@dataclass(frozen=True, eq=False)
class NotebookSource(Source):
    """A notebook as a program. Its text is that of the code cells, line by line; what is no Python in them is replaced."""

    cells: tuple[Cell, ...] = ()
    _broken: tuple[SyntaxProblem, ...] = ()
    _raised: frozenset[str] = frozenset()

    @staticmethod
    def read(path: str, text: str) -> NotebookSource:
        """The program of a notebook's file.

        Raises:
            NotebookError: if the text is no notebook, or one in another language.
        """
        cells = _cells(text)
        return replace(NotebookSource.of_cells(path, _codes(cells)), _raised=raised_when_run(cells))

    @staticmethod
    def of_cells(path: str, codes: Iterable[tuple[int, str]]) -> NotebookSource:
        """The program of some cells: the number and the code of each."""
        lines: list[str] = []
        cells: list[Cell] = []
        problems: list[SyntaxProblem] = []
        for number, code in codes:
            cells.append(Cell(number, len(lines), code))
            found, broken = _python(code)
            problems += [replace(each, line=each.line + len(lines)) for each in broken]
            lines += found
        return NotebookSource(path, "".join(f"{line}\n" for line in lines), tuple(cells), tuple(problems))

    def has_raised(self, first: int, last: int) -> bool:
        """Whether one of these lines (from 1) is in the traceback that a cell keeps as its output, and the notebook went on."""
        if not self._raised:
            return False
        return any(self.index.line_text(line - 1).strip() in self._raised for line in range(first, last + 1))

    def place_of(self, line: int) -> tuple[int | None, int]:
        """The cell of a line, and the line in it (from 0)."""
        index = bisect_right(self.cells, line, key=lambda cell: cell.line) - 1
        if index < 0:
            return None, line
        return self.cells[index].number, line - self.cells[index].line

    def edited(self, edits: Iterable[Edit]) -> NotebookSource | None:
        """The notebook with edits of its program; None if one of them reaches beyond a cell, or to what is no Python.

        Raises:
            ValueError: if two edits overlap.
        """
        by_cell: dict[int, list[Edit]] = {}
        for edit in edits:
            place = self._in_cell(edit)
            if place is None:
                return None
            by_cell.setdefault(place[0], []).append(place[1])
        codes = [
            (cell.number, apply_edits(cell.code, by_cell.get(number, ())))
            for number, cell in enumerate(self.cells)
        ]
        return NotebookSource.of_cells(self.path, codes)

    def can_take(self, edits: Iterable[Edit]) -> bool:
        """Whether edits of the program are edits of its cells."""
        return all(self._in_cell(each) is not None for each in edits)

    def _in_cell(self, edit: Edit) -> tuple[int, Edit] | None:
        """An edit of the program as one of a cell, and which cell; None if it is none."""
        line, column = self.index.position(edit.range.start)
        end_line, end_column = self.index.position(edit.range.end)
        number = bisect_right(self.cells, line, key=lambda cell: cell.line) - 1
        if number < 0:
            return None
        code, begin = self.cells[number].code, self.cells[number].line
        own = self._indexes[number]
        line, end_line = line - begin, end_line - begin
        inserts = edit.range.start == edit.range.end
        last = end_line if end_column or inserts else end_line - 1
        same = all(
            own.line_text(each) == self.index.line_text(begin + each) for each in range(line, last + 1)
        )
        whole = inserts and not column and edit.text.endswith("\n") and not code.lstrip().startswith("%%")
        if _REPLACED in code or not (same or whole):
            return None
        text = edit.text.replace("\n", "\r\n") if "\r\n" in code else edit.text
        start = own.line_start(line) + column
        if end_line < own.line_count:
            return number, Edit(Range(start, own.line_start(end_line) + end_column), text)
        if end_line > own.line_count or end_column or (inserts and not whole):
            return None
        # Whole lines at the end of a cell, behind which there is no line end.
        if inserts:
            return number, Edit(Range(start, start), f"\n{text[:-1]}" if code else text[:-1])
        if not text and not column and line:
            start = own.line_start(line - 1) + len(own.line_text(line - 1))
        return number, Edit(Range(start, len(code)), text.removesuffix("\n").removesuffix("\r"))

    @cached_property
    def _indexes(self) -> tuple[LineIndex, ...]:
        """The lines of the cells: a cell may have a fix for each of them."""
        return tuple(LineIndex(cell.code) for cell in self.cells)

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
        tree, problems = super()._parsed
        ends = sorted({cell.line for cell in self.cells[1:]} | {self.index.line_count})
        for number, node in enumerate(tree.body):
            following = (
                tree.body[number + 1].lineno - 1 if number + 1 < len(tree.body) else self.index.line_count
            )
            at = bisect_left(ends, node.end_lineno or 0)
            last = at < len(ends) and ends[at] <= following
            if last and isinstance(node, ast.Expr):
                # The expression at the end of a cell is displayed: its value is used.
                shown = ast.copy_location(ast.Name("_", ast.Store()), node)
                tree.body[number] = ast.copy_location(ast.Assign([shown], node.value), node)
        # The stand-in for a magic is no statement: an added import must not stand before an installation.
        tree.body[:] = [each for each in tree.body if not isinstance(each, ast.Pass)]
        return tree, (*self._broken, *problems)


def _cells(text: str) -> list[object]:
    try:
        content = json.loads(text)
    except ValueError:
        raise NotebookError("it is not a notebook") from None
    except RecursionError:
        raise NotebookError("it is nested too deeply for a notebook") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        message = "it is not a notebook of version 4"
        raise NotebookError(message)
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    if not isinstance(language, str):
        raise NotebookError("it is a notebook in a language without a name")
    if language.lower() not in ("python", "python3", "ipython"):
        raise ForeignNotebookError(f"it is a notebook in {language[:40]}")
    return cells


def _codes(cells: list[object]) -> list[tuple[int, str]]:
    found = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            found.append((number, _text_of(cell.get("source", ""))))
    return found


def raised_when_run(cells: list[object]) -> frozenset[str]:
    """The lines of the tracebacks that cells keep as their output, of those behind which other cells were run."""
    found = set[str]()
    held = set[str]()  # of cells behind which none was run so far
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        outputs = cell.get("outputs")
        if not outputs and cell.get("execution_count") is None:
            continue
        found |= held
        held = {line for each in (outputs if isinstance(outputs, list) else ()) for line in _traced(each)}
    return frozenset(found)


def _traced(output: object) -> list[str]:
    """The lines of code to which the traceback of an output points."""
    if not isinstance(output, dict) or output.get("output_type") != "error":
        return []
    frames = output.get("traceback")
    text = "\n".join(each for each in (frames if isinstance(frames, list) else ()) if isinstance(each, str))
    return [line for each in _POINTED_TO.finditer(_COLOR.sub("", text)) if (line := each["code"].strip())]


def _text_of(code: object) -> str:
    """The code of a cell: a text, or its lines.

    A value that is no text counts as empty; NUL, and halves of characters, are replaced.
    """
    lines = code if isinstance(code, list) else [code]
    return _NO_TEXT.sub(_REPLACED, "".join(each for each in lines if isinstance(each, str)))


@of_texts(2**20)  # while somebody types in one cell, all others are those of a moment ago
def _python(code: str) -> tuple[tuple[str, ...], tuple[SyntaxProblem, ...]]:
    """The lines of a cell, all of which parse: those that are no Python replaced, what is being typed repaired.

    Cell by cell, so that a quote or a bracket that is still open reaches no further.
    """
    lines = _LINE_END.split(code)
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    lines = without_leading_indent(lines, first)
    if lines[first].startswith("%%"):
        if lines[first][2:].split(" ")[0].strip() not in _AROUND_PYTHON:
            return ("",) * len(lines), ()
        lines[first] = ""
    if _parses(lines):
        return tuple(lines), ()
    if not "".join(lines[1:]) and _AUTOMAGIC.match(lines[0]):
        return ("pass", *lines[1:]), ()
    # Only now: a line of a string, or of an expression in brackets, may begin with a percent sign.
    lines = _without_magics(lines)
    if _parses(lines):
        return tuple(lines), ()
    repaired, problems = mended("\n".join(lines))
    found = without_names(repaired).split("\n")
    if len(problems) >= MAX_REPAIRS or len(found) != len(lines) or not _parses(found):
        found = [""] * len(lines)
    return tuple(found), tuple(problems[:MAX_REPAIRS])


def _parses(lines: list[str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse("\n".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _without_magics(lines: list[str]) -> list[str]:
    left: list[str] = []
    goes_on = False
    for line in lines:
        left.append("" if goes_on else _without_magic(line))
        goes_on = line.endswith("\\") and left[-1] != line
    return left


def _without_magic(line: str) -> str:
    timed = _TIMED.match(line)
    if timed:
        # A name assigned there is known behind it; as wide as the magic, so that all columns stay.
        return f"{timed['indent']}pass;{timed['gap']}{line[timed.end() :]}"
    magic = _MAGIC.match(line)
    if magic:
        return f"{magic['indent']}pass"
    assigned = _ASSIGNED.match(line)
    return f"{assigned['target']}None" if assigned else line
