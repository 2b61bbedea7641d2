"""The code quality report of GitLab, shown in merge requests.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from devls.analysis import Severity
from devls.cli.fingerprints import marks_of
from devls.cli.report import verdict

if TYPE_CHECKING:
    from devls.analysis import Diagnostic
    from devls.cli.report import Report

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    found = zip(report.diagnostics, marks_of(report), strict=True)
    return json.dumps([_object(report, each, mark) for each, mark in found], indent=2) + "\n"


def _object(report: Report, found: Diagnostic, mark: str) -> dict[str, Any]:
    cell = report.cell(found.path, found.range.start)
    row, _ = report.position(found.path, found.range.start)
    end_row, _ = report.position(found.path, found.range.end)
    where = "" if cell is None else f" (cell {cell}, line {row})"
    # A line of a cell is none of the file, which is JSON.
    lines = {"begin": row, "end": end_row} if cell is None else {"begin": 1}
    return {
        "description": f"{' '.join(found.message.split())}{where}{verdict(report, found)}",
        "check_name": found.rule,
        "fingerprint": mark,
        "severity": _SEVERITIES[found.severity],
        "location": {"path": _path(report, found.path), "lines": lines},
    }


def _path(report: Report, path: str) -> str:
    """As GitLab names files: from the top of the project, which its jobs know."""
    top = os.environ.get("CI_PROJECT_DIR")
    if top and Path(path).is_relative_to(Path(top).resolve()):
        return Path(path).relative_to(Path(top).resolve()).as_posix()
    return report.name(path).replace(os.sep, "/")
