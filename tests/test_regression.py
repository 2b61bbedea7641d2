"""Programs written by people who had not seen the engine: what is found stays found, what is quiet stays quiet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import regression_sets
from checking import write_files
from devls.cli import arguments
from devls.cli.main import run
from devls.text.excerpt import LONGEST_MESSAGE
from regression_sets import (
    FOLDER,
    PageError,
    Program,
    all_programs,
    gather,
    lay_out,
    page_of,
    read_set,
    target,
)

PROGRAMS = all_programs()

# The line beside will do for a statement that is missing.
_OMISSIONS = ("missing", "misplaced", "without", "not-called", "incomplete")


def _findings(
    files: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> list[dict[str, Any]]:
    """Errors and warnings of `devls --check` on a program of one file, or of a folder."""
    write_files(files, folder)
    options = ["--check", "--output-format", "json", "--no-cache", str(folder / target(files))]
    status = run(arguments.parse(options))
    shown = capsys.readouterr()
    assert status in (0, 1), shown.err
    found = json.loads(shown.out)
    assert all(len(each["message"]) <= LONGEST_MESSAGE for each in found), found
    return [each for each in found if each["severity"] != "info"]


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


# Pages of `tests/regression/` are read as they are written, and laid out as files


ROOT = Path(__file__).parent.parent

WRITTEN = [
    Program(
        "set_a",
        "a01",
        "numpy-on-grad",
        {"bug/train.py": (1, 3), "bug/nets/head.py": (2,)},
        ("missed",),
        {"bug/nets/head.py": "a\n\nb\n## not a heading\n", "bug/train.py": "x \n\n\n\ny\n" + "z\n" * 9},
        {
            "fixed/nets/head.py": "a\n\nb\n## not a heading\n",
            "fixed/train.py": "x \n\n\n\nw\n" + "z\n" * 8 + "\n",
        },
    ),
    Program("set_a", "a02", "amp-protocol", {"bug.py": (2,)}, (), {"bug.py": "a\nb\n"}, {"fixed.py": "b\n"}),
    Program("set_a", "a03", known=("noisy",), correct={"clean.py": "--- a\n"}),
    Program("set_a", "a04", correct={"clean/a.py": "a\n", "clean/b/c.py": "@@ -1 +1 @@\n"}),
]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    page = tmp_path / "set_a.md"
    page.write_text(page_of("set_a", WRITTEN), encoding="utf-8")
    assert read_set(page) == WRITTEN


def test_what_is_laid_out_is_gathered(tmp_path: Path) -> None:
    lay_out(WRITTEN, tmp_path)
    assert gather("set_a", tmp_path) == WRITTEN
    rows = [json.loads(line) for line in (tmp_path / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows[0]["bug_lines"] == {"train.py": [1, 3], "nets/head.py": [2]}
    assert (tmp_path / "cases" / "a02" / "fixed.py").read_text(encoding="utf-8") == "b\n"
    assert (tmp_path / "clean" / "a03.py").exists()
    assert (tmp_path / "clean" / "a04" / "b" / "c.py").exists()


def test_context_that_is_not_there_is_told(tmp_path: Path) -> None:
    page = tmp_path / "set_a.md"
    page.write_text(page_of("set_a", WRITTEN).replace("\n-b\n", "\n-c\n"), encoding="utf-8")
    assert "\n-c\n" not in page.read_text(encoding="utf-8")
    page.write_text(page_of("set_a", WRITTEN).replace("\n-a\n", "\n-c\n"), encoding="utf-8")
    with pytest.raises(PageError, match=r"set_a\.md:\d+: a02: line 1 of the file is not 'c'"):
        read_set(page)


@pytest.mark.parametrize("page", sorted(FOLDER.glob("set_*.md")), ids=lambda page: page.stem)
def test_pages_are_as_they_are_written(page: Path) -> None:
    programs = read_set(page)
    assert page_of(page.stem, programs) == page.read_text(encoding="utf-8")
    names = [each.name for each in programs]
    assert len(names) == len(set(names))
    for each in programs:
        assert {*each.known} <= ({"missed", "noisy"} if each.broken else {"noisy"}), each.id
        assert each.broken != each.correct
        assert {*each.lines} <= {*each.broken}, each.id
        assert bool(each.lines) is bool(each.broken), each.id


def test_one_program_is_laid_out_by_a_script(tmp_path: Path) -> None:
    program = next(each for each in regression_sets.all_programs() if each.broken)
    script = [sys.executable, str(ROOT / "scripts" / "lay_out.py"), program.id, str(tmp_path)]
    subprocess.run(script, check=True, capture_output=True)
    found = {
        path.relative_to(tmp_path).as_posix(): path.read_text(encoding="utf-8")
        for path in tmp_path.rglob("*.py")
    }
    assert found == program.broken | program.correct
