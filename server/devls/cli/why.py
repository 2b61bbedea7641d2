"""Presumptions considered on a line of a file, and their effect: for `devls why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.analysis import Analysis, Diagnostic, Evidence
    from devls.text.edits import Range


def told(analysis: Analysis, name: str, line: int, cell: int = 0) -> str:
    """Plain sentences on each finding on a line (from 1) of a file or cell, or that speaks of it; reported or not."""
    place = (cell or None, line - 1)
    parts = [
        (each, said(each))
        for found, said in ((analysis.diagnostics, _reported), (analysis.silenced, _silenced))
        for each in found
        if _speaks_of(analysis, each, place)
    ]
    if not parts:
        return f"{_named(name, place)}: nothing was considered here.\n"
    starts = [(_lines(analysis, each.range)[0], part) for each, part in parts]
    return "\n".join(f"{_named(name, start)}: {part}" for start, part in starts)


def _named(name: str, place: tuple[int | None, int]) -> str:
    """A place as findings have it."""
    cell, line = place
    shown = escaped(name)
    return f"{shown}:{line + 1}" if cell is None else f"{shown}:cell {cell}:{line + 1}"


def _speaks_of(analysis: Analysis, found: Diagnostic, place: tuple[int | None, int]) -> bool:
    """Whether a finding stands on a line, or names it as another place that explains it."""
    ranges = [found.range, *(each.range for each in found.related if each.path == found.path)]
    return any(place in _lines(analysis, each) for each in ranges)


def _lines(analysis: Analysis, place: Range) -> list[tuple[int | None, int]]:
    """The lines of a place, each with its cell, from 0."""
    first, last = (analysis.source.index.position(offset)[0] for offset in (place.start, place.end))
    return [analysis.source.place_of(line) for line in range(first, last + 1)]


def _reported(found: Diagnostic) -> str:
    head = f"{found.rule} is reported, as {found.confidence}.\n    {escaped(found.message)}\n"
    return head + _listed("It presumes that", found.evidence, "for")


def _silenced(found: Diagnostic) -> str:
    head = f"{found.rule} is not reported.\n    It would say: {escaped(found.message)}\n"
    return (
        head
        + _listed("It presumes that", found.evidence, "for")
        + _listed("Against it:", found.evidence, "against")
    )


def _listed(lead: str, evidence: Iterable[Evidence], side: str) -> str:
    return "".join(f"    {lead} {each.says} ({each.id}).\n" for each in evidence if each.side == side)
