"""Identity of a finding from one check to the next, whatever else is edited in its file meanwhile."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devls.analysis import Diagnostic
    from devls.cli.report import Report
    from devls.syntax.source import Source


def mark(found: Diagnostic, name: str, source: Source | None) -> str:
    """A digest of rule, file and code: the first line of what is underlined, however it is indented and spaced.

    Findings of one rule about equal code in one file have one mark. Line numbers and messages are no part of it: both
    change with code elsewhere.
    """
    text = "" if source is None else source.text[found.range.start : found.range.end]
    code = " ".join(text.split("\n", 1)[0].split())
    parts = "\0".join((found.rule, name.replace(os.sep, "/"), code))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def marks_of(report: Report) -> list[str]:
    """The marks of all findings of a report, in order, made different: of equal ones, each but the first says which it is."""
    seen: Counter[str] = Counter()
    result = []
    for found in report.diagnostics:
        each = mark(found, report.name(found.path), report.sources.get(found.path))
        result.append(f"{each}-{seen[each]}" if seen[each] else each)
        seen[each] += 1
    return result
