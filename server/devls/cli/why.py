"""What was considered on a line of a file, and what came of it: for `devls why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.analysis import Analysis, Diagnostic, Evidence


def told(analysis: Analysis, name: str, line: int) -> str:
    """Plain sentences on each finding on a line (from 1) of a file, reported or not."""
    reported = [each for each in analysis.diagnostics if _is_on(analysis, each, line)]
    silenced = [each for each in analysis.silenced if _is_on(analysis, each, line)]
    parts = [_reported(each) for each in reported] + [_silenced(each) for each in silenced]
    if not parts:
        return f"{name}:{line}: nothing was considered here.\n"
    return "\n".join(f"{name}:{line}: {part}" for part in parts)


def _is_on(analysis: Analysis, found: Diagnostic, line: int) -> bool:
    index = analysis.source.index
    first, last = (index.position(offset)[0] + 1 for offset in (found.range.start, found.range.end))
    return first <= line <= last


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
