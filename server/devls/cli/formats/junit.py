"""JUnit's XML, which test reports of CI services show: a suite for each file with findings, a failed test for each finding."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from devls.cli.report import verdict
from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.analysis import Diagnostic
    from devls.cli.report import Report


def render(report: Report) -> str:
    """The whole output, with its last line end."""
    count = len(report.diagnostics)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="devls" tests="{max(count, 1)}" failures="{count}" errors="0">',
    ]
    for path, found in groupby(report.diagnostics, key=lambda each: each.path):
        lines += _suite(report, path, list(found))
    if not count:
        # Readers take a report without tests for one that was never written.
        lines += [
            '  <testsuite name="devls" tests="1" failures="0" errors="0">',
            '    <testcase name="devls" classname="devls"/>',
            "  </testsuite>",
        ]
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _suite(report: Report, path: str, found: list[Diagnostic]) -> Iterator[str]:
    name = report.shown(path)
    count = len(found)
    yield f'  <testsuite name={_attribute(name)} tests="{count}" failures="{count}" errors="0">'
    for each in found:
        place = report.place(path, each.range)
        message = f"{each.message}{verdict(report, each)}"
        yield f"    <testcase name={_attribute(f'{each.rule} ({place})')} classname={_attribute(name)}>"
        yield f'      <failure type="{each.severity.value}" message={_attribute(message)}>{_story(report, each)}</failure>'
        yield "    </testcase>"
    yield "  </testsuite>"


def _story(report: Report, found: Diagnostic) -> str:
    lines = [f"{report.place(found.path, found.range)}: {found.message}"]
    lines += [f"{report.place(each.path, each.range)}: {each.message}" for each in found.related]
    lines += [f"fix: {each.title}" for each in found.fixes[:1]]
    return escape("\n".join(map(escaped, lines)))


def _attribute(text: str) -> str:
    """A quoted value; XML has no way to write most control characters."""
    return quoteattr(escaped(text))
