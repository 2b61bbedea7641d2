"""Workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.analysis import Severity
from devls.cli.report import verdict
from devls.text.printable import escaped, escaped_lines

if TYPE_CHECKING:
    from devls.cli.report import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    lines = []
    for found in report.diagnostics:
        row, column = report.position(found.path, found.range.start)
        end_row, end_column = report.position(found.path, found.range.end)
        fields = {
            "title": f"devls ({found.rule})",
            "file": _found_by(report.name(found.path)),
            "line": row,
            "endLine": end_row,
            # GitHub takes columns only of findings on one line.
            **({"col": column, "endColumn": end_column} if row == end_row else {}),
        }
        said = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
        message = escaped_lines(found.message) + verdict(report, found)
        text = f"{report.place(found.path, found.range)}: {message}"
        lines.append(f"::{_COMMANDS[found.severity]} {said}::{_data(text)}\n")
    return "".join(lines)


def _found_by(name: str) -> str:
    """A file's name as GitHub looks for it, where its log can hold that: line ends have a form of their own there."""
    return "".join(each if each in "\r\n" else escaped(each) for each in name)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
