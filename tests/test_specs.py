"""What the interpreter believes, program by program: see `specs_reader` for the form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from specs_reader import Spec, all_specs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: spec.id)
def test_spec(spec: Spec, tmp_path: Path) -> None:
    assert spec.revealed, "a spec reveals something"
    shown = sorted(
        (name, line_of(spec.files[name], diagnostic.range.start), diagnostic.message)
        for name, diagnostics in analyze(spec.files, tmp_path).items()
        for diagnostic in diagnostics
        if diagnostic.rule == "revealed-value"
    )
    assert shown == sorted(spec.revealed)
