"""Programs written by people who had not seen the engine: what is found stays found, what is quiet stays quiet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devls.cli import arguments
from devls.cli.main import run

BLIND = Path(__file__).parent / "blind"

# Where something is missing, the line beside will do.
_OMISSIONS = ("missing", "misplaced", "without", "not-called", "incomplete")


@dataclass(frozen=True)
class Case:
    """One program, or a bug and its fixed twin."""

    id: str
    folder: Path
    is_bug: bool
    kind: str
    lines: dict[str, list[int]]


def _cases() -> list[Case]:
    found = list[Case]()
    for index in sorted(BLIND.glob("*/index.jsonl")):
        for row in map(json.loads, index.read_text(encoding="utf-8").splitlines()):
            is_bug = row["kind"] == "bug"
            folder = index.parent / ("cases" if is_bug else "clean")
            found.append(
                Case(
                    f"{index.parent.name}/{row['id']}",
                    folder,
                    is_bug,
                    row.get("class", ""),
                    row.get("bug_lines", {}),
                )
            )
    return found


CASES = _cases()
KNOWN = set((BLIND / "known.txt").read_text(encoding="utf-8").splitlines())


def _findings(stem: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What `devls --check` reports of a program of one file, or of a folder: errors and warnings."""
    target = stem if stem.is_dir() else stem.with_name(f"{stem.name}.py")
    status = run(arguments.parse(["--check", "--output-format", "json", "--no-cache", str(target)]))
    shown = capsys.readouterr()
    assert status in (0, 1), shown.err
    return [each for each in json.loads(shown.out) if each["severity"] != "info"]


def _places(finding: dict[str, Any]) -> set[tuple[str, int]]:
    """File names and lines of a finding and what belongs to it."""
    spots = [finding, *finding.get("related", ())]
    return {(Path(each["filename"]).name, each["location"]["row"]) for each in spots}


@pytest.mark.parametrize("case", [each for each in CASES if each.is_bug], ids=lambda case: case.id)
def test_bug_is_found(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    findings = _findings(case.folder / case.id.partition("/")[2] / "bug", capsys)
    slack = int(any(word in case.kind for word in _OMISSIONS))
    wanted = {
        (Path(name).name, line + beside)
        for name, lines in case.lines.items()
        for line in lines
        for beside in range(-slack, slack + 1)
    }
    found = any(_places(each) & wanted for each in findings)
    assert found is (f"{case.id} missed" not in KNOWN), [(each["code"], each["message"]) for each in findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_correct_program_is_quiet(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    name = case.id.partition("/")[2]
    findings = _findings(case.folder / name / "fixed" if case.is_bug else case.folder / name, capsys)
    quiet = not findings
    assert quiet is (f"{case.id} noisy" not in KNOWN), [(each["code"], each["message"]) for each in findings]
