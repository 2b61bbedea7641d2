"""Beliefs of the interpreter, program by program: see `specs_reader` for the form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Severity
from specs_reader import Spec, all_specs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: spec.id)
def test_spec(spec: Spec, tmp_path: Path) -> None:
    assert spec.revealed or spec.reported, "a spec reveals or reports something"
    found = [
        (name, line_of(spec.files[name], diagnostic.range.start), diagnostic)
        for name, diagnostics in analyze(spec.files, tmp_path).items()
        for diagnostic in diagnostics
    ]
    revealed = [(name, line, each.message) for name, line, each in found if each.rule == "revealed-value"]
    assert sorted(revealed) == sorted(spec.revealed)
    reported = [(name, line, each.rule) for name, line, each in found if each.severity is not Severity.INFO]
    assert sorted(reported) == sorted(spec.reported)
