"""Weigh findings by what a traceback shows: which lines ran, and what torch said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from devls.judging import CALL, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from devls.analysis import Analysis, Diagnostic
    from devls.project.workspace import Workspace
    from devls.text.edits import Range
    from devls.tracebacks.errors import Family
    from devls.tracebacks.files import Place

_CONFIDENCE: Final = {"certain": 1.5, "likely": 1.0, "possible": 0.5}
_ON_LAST_CALL: Final = 4.0
_ON_OTHER_CALL: Final = 2.0
_INFO: Final = 2.0
_SILENCED: Final = 1.0
_EXPLAINS: Final = 0.5
_LATER_RULE: Final = 0.1
"""How much less each further rule of a family weighs than the one before it."""


@dataclass(frozen=True)
class Candidate:
    """A finding that may have led to the error."""

    finding: Diagnostic
    weight: float
    on_path: bool
    """Whether it stands on, or speaks of, a line that the traceback shows."""


def ranked(
    family: Family,
    calls: Sequence[Place],
    analyses: Iterable[Analysis],
    workspace: Workspace,
    named: str = "",
) -> list[Candidate]:
    """The findings that fit an error, the likeliest first; those off the path only if none is on it.

    `calls` are the lines of the user's files that the traceback shows, outermost first; `named` is what the error names.
    """
    weigher = _Weigher(family, calls, workspace, named)
    found: dict[tuple[str, str, Range], Candidate] = {}
    for analysis in analyses:
        told = (*analysis.diagnostics, *analysis.elsewhere)
        for each, less in [(each, 0.0) for each in told] + [(each, _SILENCED) for each in analysis.silenced]:
            if each.rule in family.rules:
                told_whole = replace(each, related=(*each.related, *each.ways))
                candidate = weigher.candidate(told_whole, less)
                known = found.setdefault((each.rule, each.path, each.range), candidate)
                if known.weight < candidate.weight:
                    found[each.rule, each.path, each.range] = candidate
    on_path = [each for each in found.values() if each.on_path]
    return sorted(_explaining(on_path or list(found.values())), key=lambda each: -each.weight)


def _explaining(candidates: list[Candidate]) -> list[Candidate]:
    """A place that another candidate names as its explanation is nearer to the cause."""
    weights = {(each.finding.path, each.finding.range): each.weight for each in candidates}
    for each in candidates:
        for place in ((other.path, other.range) for other in each.finding.related if other.message != CALL):
            if place in weights:
                weights[place] = max(weights[place], each.weight + _EXPLAINS)
    return [
        replace(each, weight=weights[each.finding.path, each.finding.range])
        if each.weight < weights[each.finding.path, each.finding.range]
        else each
        for each in candidates
    ]


class _Weigher:
    def __init__(self, family: Family, calls: Sequence[Place], workspace: Workspace, named: str) -> None:
        self._family = family
        self._named = named
        self._calls = calls
        self._workspace = workspace

    def candidate(self, found: Diagnostic, less: float) -> Candidate:
        """Weigh one finding."""
        on_path = self._on_path(found)
        weight = (
            on_path
            + _CONFIDENCE[found.confidence]
            - _LATER_RULE * self._family.rules.index(found.rule)
            - (_INFO if found.severity is Severity.INFO else 0.0)
            - less
        )
        return Candidate(found, weight, on_path > 0)

    def _on_path(self, found: Diagnostic) -> float:
        """How near a finding comes to the calls of the traceback."""
        places = [(found.path, found.range), *((each.path, each.range) for each in found.related)]
        spans = [self._lines(path, place) for path, place in places]
        # A backward runs what is on no line of the traceback, and names it.
        weight = (
            _ON_OTHER_CALL if self._calls and self._named and f"`{self._named}`" in found.message else 0.0
        )
        for depth, call in enumerate(reversed(self._calls)):
            if any(path == call.path and first <= call.line <= last for path, first, last in spans):
                weight += _ON_OTHER_CALL / depth if depth else _ON_LAST_CALL
        return weight

    def _lines(self, path: str, place: Range) -> tuple[str, int, int]:
        index = self._workspace.source(path).index
        first, last = (index.position(each)[0] + 1 for each in (place.start, place.end))
        return path, first, last
