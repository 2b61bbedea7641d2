"""Analyses as data that can be written down, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devls.analysis import Analysis, Diagnostic, Evidence, Related, Severity
from devls.text.edits import Applicability, Edit, Fix, Range

if TYPE_CHECKING:
    from devls.syntax.source import Source


def stored(analysis: Analysis) -> list[list[dict[str, Any]]]:
    """Results of an analysis, as JSON has them."""
    return [[stored_finding(each) for each in found] for found in (analysis.diagnostics, analysis.elsewhere)]


def restored(source: Source, found: list[list[dict[str, Any]]]) -> Analysis:
    """The analysis of a file that has found this.

    Raises:
        Exception: of whatever kind, if `found` is not what `stored` returns.
    """
    here, elsewhere = (tuple(restored_finding(each) for each in part) for part in found)
    return Analysis(source.path, source, here, elsewhere)


def stored_finding(found: Diagnostic) -> dict[str, Any]:
    """One finding, as JSON has it."""
    return {
        "rule": found.rule,
        "severity": found.severity.value,
        "message": found.message,
        "path": found.path,
        "range": _span(found.range),
        "related": [[each.path, _span(each.range), each.message] for each in found.related],
        "fixes": [
            [
                fix.title,
                [[_span(edit.range), edit.text] for edit in fix.edits],
                fix.applicability.value,
                fix.path,
            ]
            for fix in found.fixes
        ],
        "url": found.url,
        "confidence": found.confidence,
        "evidence": [[each.id, each.says, each.side] for each in found.evidence],
        "unit": found.unit,
    }


def restored_finding(found: dict[str, Any]) -> Diagnostic:
    """The finding that was so stored."""
    return Diagnostic(
        found["rule"],
        Severity(found["severity"]),
        found["message"],
        found["path"],
        _range(found["range"]),
        tuple(Related(path, _range(place), message) for path, place, message in found["related"]),
        tuple(
            Fix(title, tuple(Edit(_range(place), text) for place, text in edits), Applicability(how), path)
            for title, edits, how, path in found["fixes"]
        ),
        found["url"],
        found["confidence"],
        tuple(Evidence(*each) for each in found["evidence"]),
        unit=found["unit"],
    )


def _span(place: Range) -> list[int]:
    return [place.start, place.end]


def _range(span: list[int]) -> Range:
    start, end = span
    return Range(start, end)
