"""Each kind of mistake is found in different programs, and the programs that were meant are quiet."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Severity
from forms import Form, read_forms

if TYPE_CHECKING:
    from pathlib import Path

    from devls.analysis import Diagnostic

FORMS = read_forms()


def findings(code: str, folder: Path) -> list[Diagnostic]:
    return analyze({"example.py": code}, folder)["example.py"]


def lines_of(code: str, found: Diagnostic) -> set[int]:
    """The lines that a finding touches, with those of its related places."""
    first, last = line_of(code, found.range.start), line_of(code, found.range.end)
    return {*range(first, last + 1), *(line_of(code, each.range.start) for each in found.related)}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.pitfall}-{form.id}")
def test_found_and_quiet_when_meant(form: Form, tmp_path: Path) -> None:
    found = findings(form.broken, tmp_path)
    seen = any(lines_of(form.broken, each) & form.lines for each in found)
    assert seen is not form.missed, [each.message for each in found]
    kinds = {each.rule for each in found}
    loud = [
        each
        for each in findings(form.meant, tmp_path)
        if each.severity is not Severity.INFO or each.rule in kinds
    ]
    assert not loud, [each.message for each in loud]


def test_each_kind_has_several_forms() -> None:
    counts = Counter(form.pitfall for form in FORMS)
    assert min(counts.values()) >= 2, counts
