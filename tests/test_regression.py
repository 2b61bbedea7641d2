"""Programs written by people who had not seen the engine: what is found stays found, what is quiet stays quiet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checking import write_files
from devls.cli import arguments
from devls.cli.main import run
from regression_sets import Program, all_programs, target

PROGRAMS = all_programs()

# Where something is missing, the line beside will do.
_OMISSIONS = ("missing", "misplaced", "without", "not-called", "incomplete")


def _findings(
    files: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """What `devls --check` reports of a program of one file, or of a folder: errors and warnings."""
    write_files(files, folder)
    options = ["--check", "--output-format", "json", "--no-cache", str(folder / target(files))]
    status = run(arguments.parse(options))
    shown = capsys.readouterr()
    assert status in (0, 1), shown.err
    return [each for each in json.loads(shown.out) if each["severity"] != "info"]


def _places(finding: dict[str, Any]) -> set[tuple[str, int]]:
    """File names and lines of a finding and what belongs to it."""
    spots = [finding, *finding.get("related", ())]
    return {(Path(each["filename"]).name, each["location"]["row"]) for each in spots}


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.broken], ids=lambda each: each.id)
def test_bug_is_found(program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    findings = _findings(program.broken, tmp_path, capsys)
    slack = int(any(word in program.mistake for word in _OMISSIONS))
    wanted = {
        (Path(name).name, line + beside)
        for name, lines in program.lines.items()
        for line in lines
        for beside in range(-slack, slack + 1)
    }
    found = any(_places(each) & wanted for each in findings)
    assert found is ("missed" not in program.known), [(each["code"], each["message"]) for each in findings]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.id)
def test_correct_program_is_quiet(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = _findings(program.correct, tmp_path, capsys)
    quiet = not findings
    assert quiet is ("noisy" not in program.known), [(each["code"], each["message"]) for each in findings]
