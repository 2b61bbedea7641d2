"""Presumptions considered on a line of a file, and their effect: for `devls why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.analysis import Analysis, Diagnostic, Evidence
    from devls.text.edits import Range


def told(analysis: Analysis, name: str, line: int) -> str:
    """Plain sentences on each finding on a line (from 1) of a file, or that speaks of it; reported or not."""
    parts = [
        (each, said(each))
        for found, said in ((analysis.diagnostics, _reported), (analysis.silenced, _silenced))
        for each in found
        if _speaks_of(analysis, each, line)
    ]
    if not parts:
        return f"{name}:{line}: nothing was considered here.\n"
    return "\n".join(f"{name}:{_lines(analysis, each.range)[0]}: {part}" for each, part in parts)


def _speaks_of(analysis: Analysis, found: Diagnostic, line: int) -> bool:
    """Whether a finding stands on a line, or names it as another place that explains it."""
    places = [found.range, *(each.range for each in found.related if each.path == found.path)]
    return any(first <= line <= last for first, last in (_lines(analysis, place) for place in places))


def _lines(analysis: Analysis, place: Range) -> tuple[int, int]:
    """The first and last line of a place, from 1."""
    first, last = (analysis.source.index.position(offset)[0] + 1 for offset in (place.start, place.end))
    return first, last


def _reported(found: Diagnostic) -> str:
    head = f"{found.rule} is reported, as {found.confidence}.\n    {found.message}\n"
    return head + _listed("It presumes that", found.evidence, "for")


def _silenced(found: Diagnostic) -> str:
    head = f"{found.rule} is not reported.\n    It would say: {found.message}\n"
    return (
        head
        + _listed("It presumes that", found.evidence, "for")
        + _listed("Against it:", found.evidence, "against")
    )


def _listed(lead: str, evidence: Iterable[Evidence], side: str) -> str:
    return "".join(f"    {lead} {each.says} ({each.id}).\n" for each in evidence if each.side == side)
