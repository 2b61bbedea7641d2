"""Findings of a check, before they are printed."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from devls.analysis import Severity
from devls.text.printable import escaped
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.analysis import Diagnostic
    from devls.probe.experiment import Said
    from devls.syntax.source import Source
    from devls.text.edits import Applicability, Fix, Range


@fact
class Report:
    """Findings in the order of files and lines, with the sources they point into."""

    diagnostics: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    """By path: the checked files, and others that findings point into, as far as they can be read."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of the paths."""
    checked: int = 0
    fixed: int = 0
    said: Mapping[Diagnostic, Said] | None = None
    """Torch's answer for each finding, if it was asked."""
    maps: Mapping[str, str] = field(default_factory=dict)
    """By path: which losses give gradients to which modules, as a drawing for the page of findings."""

    def name(self, path: str) -> str:
        """Name of a path, for programs: it may hold any character."""
        return self.names.get(path, path)

    def shown(self, path: str) -> str:
        """The same for people, on one line and safe to print."""
        return escaped(self.name(path))

    def position(self, path: str, offset: int) -> tuple[int, int]:
        """Row (of its cell, in a notebook) and column, in characters, both counted from 1; (1, 1) in a file that cannot be read."""
        source = self.sources.get(path)
        if source is None:
            return 1, 1
        line, column = source.index.position(offset)
        return source.place_of(line)[1] + 1, column + 1

    def cell(self, path: str, offset: int) -> int | None:
        """The cell of a notebook, counted from 1."""
        source = self.sources.get(path)
        return None if source is None else source.place_of(source.index.position(offset)[0])[0]

    def place(self, path: str, found: Range) -> str:
        """`name:row:column`, safe to print; in a notebook `name:cell N:row:column`."""
        row, column = self.position(path, found.start)
        cell = self.cell(path, found.start)
        return f"{self.shown(path)}:{'' if cell is None else f'cell {cell}:'}{row}:{column}"


def preferred(found: Diagnostic, *allowed: Applicability) -> Fix | None:
    """The preferred fix, if it is of an allowed kind."""
    return found.fixes[0] if found.fixes and found.fixes[0].applicability in allowed else None


def verdict(report: Report, found: Diagnostic) -> str:
    """Torch's answer about a finding, for the end of a line."""
    said = report.said.get(found) if report.said else None
    return f" (torch {said.torch}: {said.verdict.value})" if said is not None and said.torch else ""


def counted(count: int, level: Severity) -> str:
    """`1 error`, `2 warnings`, `3 info`."""
    return f"{count} info" if level is Severity.INFO else plural(count, level.value)


def plural(count: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
