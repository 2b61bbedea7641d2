"""SARIF 2.1.0, which code scanning services and editors read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html; sections are named where they decide something.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from devls import __version__
from devls.analysis import CALL, Severity
from devls.cli import pages
from devls.cli.fingerprints import marks_of
from devls.text.edits import Applicability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.analysis import Diagnostic, Related
    from devls.cli.report import Report
    from devls.text.edits import Edit, Fix, Range

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASE: Final = "%SRCROOT%"
_HOME: Final = "https://github.com/devls/devls"


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    rules = sorted({each.rule for each in report.diagnostics})
    results = [
        _result(report, found, rules.index(found.rule), mark)
        for found, mark in zip(report.diagnostics, marks_of(report), strict=True)
    ]
    run = {
        "tool": {
            "driver": {
                "name": "devls",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": _HOME,
                "rules": [_rule(report, name) for name in rules],
            }
        },
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {
            _BASE: {"description": {"text": "The folder in which devls was started."}},
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2) + "\n"


def _rule(report: Report, name: str) -> dict[str, Any]:
    page = pages.page(name)
    found = next(each for each in report.diagnostics if each.rule == name)
    rule: dict[str, Any] = {"id": name, "name": "".join(part.title() for part in name.split("-"))}
    if page is None:
        return rule  # a value that was revealed: there is no more to say
    summary = page.summary.rstrip(".") + "."
    rule |= {
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": page.markdown, "markdown": page.markdown},
        "defaultConfiguration": {"level": _LEVELS[Severity(page.level)]} if page.level != "off" else {},
        "properties": {"tags": [page.family]},
    }
    if found.url:
        rule["helpUri"] = found.url
    return rule


def _result(report: Report, found: Diagnostic, index: int, mark: str) -> dict[str, Any]:
    notes = [each for each in found.related if each.message != CALL]
    calls = [each for each in found.related if each.message == CALL]
    # The story of the values, the calls from the outermost on, and the finding itself.
    story = [*notes, *reversed(calls)]
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": _LEVELS[found.severity],
        "message": {"text": _text(found.message)},
        "locations": [_location(report, found.path, found.range)],
        "partialFingerprints": {"devls/v1": mark},
        "properties": {"confidence": found.confidence},
    }
    if story:
        result["relatedLocations"] = [
            {"id": number, **_told(report, each)} for number, each in enumerate(story, 1)
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": _flow(report, found, story)}]}]
    fixes = [_fix(report, found.path, each) for each in found.fixes if _applies(report, found.path, each)]
    if fixes:
        result["fixes"] = fixes
    if report.said is not None:
        said = report.said[found]
        result["properties"]["probe"] = {"verdict": said.verdict.value, "says": said.says}
    return result


def _flow(report: Report, found: Diagnostic, story: Sequence[Related]) -> list[dict[str, Any]]:
    steps = [{"location": _told(report, each)} for each in story]
    end = {**_location(report, found.path, found.range), "message": {"text": _text(found.message)}}
    return [*steps, {"location": end, "importance": "essential"}]


def _told(report: Report, place: Related) -> dict[str, Any]:
    return {**_location(report, place.path, place.range), "message": {"text": _text(place.message)}}


def _text(message: str) -> str:
    r"""A message as plain text, in which `[x](y)` would be a link (3.11.6)."""
    return message.replace("[", "\\[").replace("]", "\\]") if "](" in message else message


def _location(report: Report, path: str, place: Range) -> dict[str, Any]:
    cell = report.cell(path, place.start)
    physical: dict[str, Any] = {"artifactLocation": _artifact(report, path)}
    if cell is not None:
        # A line of a cell is none of the file, which is JSON.
        row, _ = report.position(path, place.start)
        name = f"cell {cell}, line {row}"
        return {"physicalLocation": physical, "logicalLocations": [{"name": name, "kind": "element"}]}
    if path in report.sources:
        physical["region"] = _region(report, path, place)
    return {"physicalLocation": physical}


def _region(report: Report, path: str, place: Range) -> dict[str, Any]:
    row, column = report.position(path, place.start)
    end_row, end_column = report.position(path, place.end)
    return {"startLine": row, "startColumn": column, "endLine": end_row, "endColumn": end_column}


def _artifact(report: Report, path: str) -> dict[str, Any]:
    name = PurePath(report.name(path))
    if name.is_absolute() or ".." in name.parts:
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(name.as_posix(), errors="surrogateescape"), "uriBaseId": _BASE}


def _applies(report: Report, path: str, fix: Fix) -> bool:
    """Whether a program can apply a fix: an edit of a cell is none of the file, which is JSON."""
    in_cells = any(report.cell(fix.path or path, each.range.start) is not None for each in fix.edits)
    return fix.applicability is not Applicability.DISPLAY and bool(fix.edits) and not in_cells


def _fix(report: Report, path: str, fix: Fix) -> dict[str, Any]:
    where = fix.path or path
    return {
        "description": {"text": _text(fix.title)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(report, where),
                "replacements": [_replacement(report, where, each) for each in fix.edits],
            }
        ],
        "properties": {"applicability": fix.applicability.value},
    }


def _replacement(report: Report, path: str, edit: Edit) -> dict[str, Any]:
    replacement: dict[str, Any] = {"deletedRegion": _region(report, path, edit.range)}
    if edit.text:
        replacement["insertedContent"] = {"text": edit.text}
    return replacement
