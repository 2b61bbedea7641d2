"""All fixes of a program, applied as often as they help, leave one that parses, has nothing new to say, and stays as it is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls.analysis import Analyzer, Severity
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.project.workspace import Workspace
from forms import read_forms
from regression_sets import all_programs, importable

if TYPE_CHECKING:
    from pathlib import Path


def _programs() -> dict[str, dict[str, str]]:
    found = {form.id: {"example.py": form.broken} for form in read_forms()}
    return found | {program.name: importable(program.broken) for program in all_programs() if program.broken}


PROGRAMS = _programs()


def _checked(files: dict[str, str], folder: Path) -> Check:
    write_files(files, folder)
    workspace = Workspace((str(folder),))
    names = {str(folder / name): name for name in files}
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, names, Complaints())
    check.run()
    return check


def _rules(check: Check) -> set[str]:
    return {
        each.rule for found in check.findings.values() for each in found if each.severity is not Severity.INFO
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_fixes_settle(name: str, tmp_path: Path) -> None:
    check = _checked(PROGRAMS[name], tmp_path)
    before = _rules(check)
    apply_fixes(check, unsafe=True)
    for path in check.findings:
        ast.parse(check.workspace.source(path).text)
    assert _rules(check) <= before
    assert not apply_fixes(check, unsafe=True).sources
