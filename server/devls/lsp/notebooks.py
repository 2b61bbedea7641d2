"""Notebooks: the client's cells, the program that they are together, and the ways between the two.

The engine knows a notebook as one file, whose text is the program of its code cells. A line of the program is one of a cell, with
the same columns, or stands for one that is no Python. Only what is sent is told by cell: all of `convert` and of the findings'
`data` counts the lines of the program.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from lsprotocol import types

from devls.lsp import convert
from devls.lsp.state import Snapshot
from devls.syntax.notebook import NotebookSource
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from devls.lsp.convert import Positions
    from devls.lsp.state import Placed
    from devls.syntax.source import Source


@dataclass(frozen=True)
class Cell:
    """One version of a cell with code in Python."""

    uri: str
    version: int
    text: str
    number: int
    """Among all cells of the notebook, from 1."""

    @cached_property
    def index(self) -> LineIndex:
        """Its lines."""
        return LineIndex(self.text)

    @property
    def last_line(self) -> int:
        """The number of its last line, from 0."""
        return self.index.line_count - 1

    def end_of(self, line: int) -> types.Position:
        """The end of a line. The column may lie behind it, which means the same in the protocol."""
        return types.Position(line, len(self.index.line_text(line).encode("utf-8", "surrogatepass")))


@dataclass(frozen=True)
class NotebookSnapshot(Snapshot):
    """One version of a notebook. Its `text` is the program."""

    program: NotebookSource
    cells: tuple[Cell, ...]

    is_notebook: ClassVar[bool] = True

    @staticmethod
    def of(path: str, version: int, cells: Sequence[Cell]) -> NotebookSnapshot:
        """Some cells as one program."""
        program = NotebookSource.of_cells(path, [(cell.number, cell.text) for cell in cells])
        return NotebookSnapshot(path, version, program.text, program, tuple(cells))

    @property
    def opened(self) -> NotebookSource:
        """Text that the engine analyzes."""
        return self.program

    @cached_property
    def source(self) -> Source:
        """The program."""
        return self.program

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {cell.uri: number for number, cell in enumerate(self.cells)}

    def inside(self, uri: str, position: types.Position) -> types.Position:
        """Position in the program of a position in a cell."""
        number = self._numbers.get(uri)
        begin = 0 if number is None else self.program.cells[number].line
        return types.Position(begin + position.line, position.character)

    def located(self, uri: str, found: types.Range) -> types.Location:
        """The cell in which a range of the program begins, and the part of the range that is in there."""
        if not self.cells:
            return types.Location(uri, found)
        cell, begin = self._at(found.start.line)
        start, end = _up(found.start, begin), _up(found.end, begin)
        if end.line > cell.last_line:
            end = cell.end_of(cell.last_line)
        return types.Location(cell.uri, types.Range(start, end))

    def shown(self, uri: str, found: Iterable[types.Diagnostic]) -> Iterable[types.PublishDiagnosticsParams]:
        """Findings of the program, by the cell that shows them."""
        by_cell: dict[str, list[types.Diagnostic]] = {cell.uri: [] for cell in self.cells}
        for each in found:
            place = self.located(uri, each.range)
            each.range = place.range
            by_cell.setdefault(place.uri, []).append(each)
        return [
            types.PublishDiagnosticsParams(uri=cell.uri, version=cell.version, diagnostics=by_cell[cell.uri])
            for cell in self.cells
        ]

    def uris(self, uri: str) -> list[str]:
        """The documents in which there may be findings."""
        del uri
        return [cell.uri for cell in self.cells]

    def placed(self, uri: str, edits: Iterable[types.TextEdit]) -> Placed | None:
        """Edits of the program as edits of the cells; None if one of them reaches beyond a cell, or to what is no Python."""
        del uri
        by_cell: dict[str, tuple[Cell, list[types.TextEdit]]] = {}
        for edit in edits:
            cell, begin = self._at(edit.range.start.line)
            local = self._in_cell(cell, begin, edit)
            if local is None:
                return None
            by_cell.setdefault(cell.uri, (cell, []))[1].append(local)
        return [
            (types.OptionalVersionedTextDocumentIdentifier(cell.uri, cell.version), found)
            for cell, found in by_cell.values()
        ]

    def _at(self, line: int) -> tuple[Cell, int]:
        """The cell of a line of the program, and its first line there."""
        number = max(0, bisect_right(self.program.cells, line, key=lambda each: each.line) - 1)
        return self.cells[number], self.program.cells[number].line

    def _in_cell(self, cell: Cell, begin: int, edit: types.TextEdit) -> types.TextEdit | None:
        start, end, text = _up(edit.range.start, begin), _up(edit.range.end, begin), edit.new_text
        if start.line > cell.last_line:
            return None
        if self._touches_other(cell, begin, start, end, text):
            return None
        if end.line <= cell.last_line:
            return types.TextEdit(types.Range(start, end), text)
        if end != types.Position(cell.last_line + 1, 0):
            return None
        # Whole lines up to the end of the cell, behind which there is no line end.
        if not text and start.character == 0 and start.line:
            start = cell.end_of(start.line - 1)
        return types.TextEdit(types.Range(start, cell.end_of(cell.last_line)), text.removesuffix("\n"))

    def _touches_other(
        self, cell: Cell, begin: int, start: types.Position, end: types.Position, text: str
    ) -> bool:
        """Whether there is another text in the cell than in the program, where an edit wants to change it."""
        last = end.line if end.character or end == start else end.line - 1
        lines = range(start.line, min(last, cell.last_line) + 1)
        own, index = cell.index, self.program.index
        if all(own.line_text(line) == index.line_text(begin + line) for line in lines):
            return False
        # Whole lines may be put before a magic, but for those that are about all of the cell.
        whole = start == end and start.character == 0 and text.endswith("\n")
        return not whole or cell.text.lstrip().startswith("%%")


def _up(position: types.Position, lines: int) -> types.Position:
    return types.Position(position.line - lines, position.character)


@dataclass
class OpenNotebook:
    """A notebook as the client has it, with cells of all kinds and languages."""

    order: list[str]
    texts: dict[str, types.TextDocumentItem]
    prose: set[str] = field(default_factory=set)
    quiet: dict[str, int] = field(default_factory=dict)
    """The versions of the cells that the client knows to be without findings."""

    @staticmethod
    def of(cells: Iterable[types.NotebookCell], texts: Iterable[types.TextDocumentItem]) -> OpenNotebook:
        """As it is opened."""
        made = OpenNotebook([], {each.uri: each for each in texts})
        made.order = made._taken(cells)
        return made

    @property
    def cells(self) -> list[Cell]:
        """Those that are the program."""
        found = [(number, self.texts.get(uri)) for number, uri in enumerate(self.order, 1)]
        return [
            Cell(each.uri, each.version, each.text, number)
            for number, each in found
            if each is not None and each.uri not in self.prose and each.language_id == "python"
        ]

    def change(self, changes: types.NotebookDocumentCellChanges, positions: Positions) -> None:
        """Take in a change of the cells."""
        self._taken(changes.data or ())
        structure = changes.structure
        if structure is not None:
            for closed in structure.did_close or ():
                self.texts.pop(closed.uri, None)
            self.texts.update({each.uri: each for each in structure.did_open or ()})
            start, end = structure.array.start, structure.array.start + structure.array.delete_count
            self.order[start:end] = self._taken(structure.array.cells or ())
        for content in changes.text_content or ():
            document = self.texts.get(content.document.uri)
            if document is not None:
                text = convert.apply_changes(document.text, content.changes, positions)
                version = content.document.version
                self.texts[document.uri] = types.TextDocumentItem(
                    document.uri, document.language_id, version, text
                )

    def is_news(self, shown: types.PublishDiagnosticsParams) -> bool:
        """Whether the client has to be told: not that a cell, unchanged, is still without findings."""
        if shown.diagnostics:
            self.quiet.pop(shown.uri, None)
            return True
        version = shown.version or 0
        known, self.quiet[shown.uri] = self.quiet.get(shown.uri), version
        return known != version

    def _taken(self, cells: Iterable[types.NotebookCell]) -> list[str]:
        """The URIs of some cells, whose kinds are remembered."""
        cells = list(cells)
        for each in cells:
            (self.prose.discard if each.kind is types.NotebookCellKind.Code else self.prose.add)(
                each.document
            )
        return [each.document for each in cells]
