"""One line per finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.cli.report import verdict
from devls.text.edits import Applicability
from devls.text.printable import escaped

if TYPE_CHECKING:
    from devls.cli.report import Report


def render(report: Report) -> str:
    """The whole output, with its last line end; a star marks what has a fix that can be applied."""
    lines = []
    for found in report.diagnostics:
        applied = any(fix.applicability is not Applicability.DISPLAY for fix in found.fixes[:1])
        star = " [*]" if applied else ""
        place = report.place(found.path, found.range)
        message = escaped(" ".join(found.message.split())) + verdict(report, found)
        lines.append(f"{place}: {found.severity.value}[{found.rule}]{star} {message}\n")
    return "".join(lines)
