"""A JSON array, one object per finding, in the shape that ruff's users know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devls.analysis import Diagnostic, Related
    from devls.cli.report import Report
    from devls.probe.experiment import Said
    from devls.text.edits import Fix, Range


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    # One by one: as objects of Python, all findings at once take ten times the memory of their text.
    texts = [json.dumps([_object(report, each)], indent=2) for each in report.diagnostics]
    return "[\n" + ",\n".join(each[2:-2] for each in texts) + "\n]\n" if texts else "[]\n"


def _object(report: Report, found: Diagnostic) -> dict[str, Any]:
    fixes = [_fix(report, found.path, fix) for fix in found.fixes]
    return {
        "code": found.rule,
        "severity": found.severity.value,
        "confidence": found.confidence,
        "message": found.message,
        "filename": report.name(found.path),
        **_span(report, found.path, found.range),
        "evidence": [{"id": each.id, "says": each.says, "side": each.side} for each in found.evidence],
        "url": found.url,
        "related": [_related(report, each) for each in found.related],
        "fix": fixes[0] if fixes else None,
        "fixes": fixes,
        **({} if report.said is None else {"probe": _probe(report.said[found])}),
    }


def _probe(said: Said) -> dict[str, Any]:
    return {
        "verdict": said.verdict.value,
        "torch": said.torch or None,
        "says": said.says,
        "snippet": said.snippet or None,
    }


def _related(report: Report, other: Related) -> dict[str, Any]:
    span = _span(report, other.path, other.range)
    return {"filename": report.name(other.path), **span, "message": other.message}


def _fix(report: Report, path: str, fix: Fix) -> dict[str, Any]:
    edits = [{"content": edit.text, **_span(report, fix.path or path, edit.range)} for edit in fix.edits]
    where = {"filename": report.name(fix.path)} if fix.path else {}
    return {"applicability": fix.applicability.value, "message": fix.title, **where, "edits": edits}


def _span(report: Report, path: str, found: Range) -> dict[str, Any]:
    return {
        "location": _location(report, path, found.start),
        "end_location": _location(report, path, found.end),
    }


def _location(report: Report, path: str, offset: int) -> dict[str, int]:
    row, column = report.position(path, offset)
    cell = report.cell(path, offset)
    return {"row": row, "column": column, **({} if cell is None else {"cell": cell})}
