"""`--statistics`: how often each rule was found, in place of the findings."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.cli.report import preferred
from devls.text.edits import Applicability

if TYPE_CHECKING:
    from devls.cli.report import Report


@dataclass(frozen=True)
class _Count:
    rule: str
    count: int
    files: int
    fixable: int


def render(report: Report, output_format: str) -> str:
    """The whole output, with its last line end: a table, or an array if the format is "json"."""
    counts = _counted(report)
    if output_format == "json":
        found = [
            {"code": each.rule, "count": each.count, "files": each.files, "fixable_count": each.fixable}
            for each in counts
        ]
        return json.dumps(found, indent=2) + "\n"
    width = max((len(str(each.count)) for each in counts), default=0)
    names = max((len(each.rule) for each in counts), default=0)
    lines = []
    for each in counts:
        star = "[*]" if each.fixable == each.count else "[-]" if each.fixable else "[ ]"
        files = "1 file" if each.files == 1 else f"{each.files} files"
        lines.append(f"{each.count:>{width}}  {star} {each.rule:{names}}  in {files}\n")
    return "".join(lines)


def _counted(report: Report) -> list[_Count]:
    """The most frequent first."""
    rules = Counter(each.rule for each in report.diagnostics)
    counts = []
    for rule, count in rules.items():
        found = [each for each in report.diagnostics if each.rule == rule]
        fixable = sum(preferred(each, Applicability.SAFE, Applicability.UNSAFE) is not None for each in found)
        counts.append(_Count(rule, count, len({each.path for each in found}), fixable))
    return sorted(counts, key=lambda each: (-each.count, each.rule))
