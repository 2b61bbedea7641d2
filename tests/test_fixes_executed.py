"""Fixes of the regression programs: torch runs a sample before and after, `benchmarks/fix_truth.py` all of them.

All fixes of a program, applied as often as they help, leave one that parses, has nothing new to say, and stays as it is.
"""

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
from executed_fixes import ALL, WAYS, Story, fixed_stories, is_mistake, run_stories
from forms import read_forms
from regression_sets import all_programs, importable

if TYPE_CHECKING:
    from pathlib import Path

EVERY = 149

MENDED = (
    "set_e/e010",  # the parts of a batch that a method unpacks
    "set_e/e014",  # a module in an object that is none
    "set_ee/ee023",  # what inference mode made
    "set_s/s21",  # a module that is moved on one path only
    "set_v/v11_batchdict",  # a transfer that is dropped in a loop over a dict
    "set_x/x25_beam_decoder",  # a tensor in a named tuple, which has no `.to`
    "set_z/z006",  # numbers and tensors in one dict
)


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    programs = all_programs()
    chosen = {each.id: each for each in (*programs[::EVERY], *(one for one in programs if one.id in MENDED))}
    found = fixed_stories(chosen.values())
    run_stories(found)
    return [each for each in found if not each.left_out]


def test_nothing_is_silent_that_is_still_raised(stories: list[Story]) -> None:
    assert not [(each.case.id, way) for each in stories for way in WAYS if each.is_silenced(way)]


def test_nothing_that_ran_is_broken(stories: list[Story]) -> None:
    assert not [(each.case.id, way) for each in stories for way in WAYS if each.is_broken(way)]


def test_what_was_mended_is_cured(stories: list[Story]) -> None:
    assert {each.case.id for each in stories if is_mistake(each) and each.is_cured(ALL)} >= {*MENDED}


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
    unparsed = {path for path in check.findings if check.workspace.source(path).problems}
    apply_fixes(check, unsafe=True)
    for path in {*check.findings} - unparsed:
        ast.parse(check.workspace.source(path).text)
    assert _rules(check) <= before
    assert not apply_fixes(check, unsafe=True).sources
