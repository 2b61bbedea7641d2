"""Reviewdog's diagnostic format: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from devls.cli.report import preferred, verdict
from devls.text.edits import Applicability

if TYPE_CHECKING:
    from devls.analysis import Diagnostic
    from devls.cli.report import Report
    from devls.text.edits import Range


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    content = {
        "source": {"name": "devls", "url": "https://github.com/devls/devls"},
        "diagnostics": [_diagnostic(report, each) for each in report.diagnostics],
    }
    return json.dumps(content, indent=2) + "\n"


def _diagnostic(report: Report, found: Diagnostic) -> dict[str, Any]:
    code = {"value": found.rule, **({"url": found.url} if found.url else {})}
    result: dict[str, Any] = {
        "message": f"{found.message}{verdict(report, found)}",
        "location": _location(report, found.path, found.range),
        "severity": found.severity.name,
        "code": code,
    }
    if found.related:
        result["related_locations"] = [
            {"message": each.message, "location": _location(report, each.path, each.range)}
            for each in found.related
        ]
    fix = preferred(found, Applicability.SAFE, Applicability.UNSAFE)
    # Suggestions are alternatives, each of which is applied alone; and to the finding's own file.
    edit = fix.edits[0] if fix is not None and len(fix.edits) == 1 and not fix.path else None
    if edit is not None and report.cell(found.path, edit.range.start) is None:
        result["suggestions"] = [{"range": _range(report, found.path, edit.range), "text": edit.text}]
    return result


def _location(report: Report, path: str, place: Range) -> dict[str, Any]:
    name = report.name(path).replace(os.sep, "/")
    # A line of a cell is none of the file, which is JSON.
    if path not in report.sources or report.cell(path, place.start) is not None:
        return {"path": name}
    return {"path": name, "range": _range(report, path, place)}


def _range(report: Report, path: str, place: Range) -> dict[str, Any]:
    return {
        "start": _position(report, path, place.start),
        "end": _position(report, path, place.end),
    }


def _position(report: Report, path: str, offset: int) -> dict[str, int]:
    """Columns count bytes in UTF-8, from 1."""
    index = report.sources[path].index
    line, column = index.position(offset)
    before = index.line_text(line)[:column]
    return {"line": line + 1, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
