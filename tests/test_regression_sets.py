"""Pages of `tests/regression/` are read as they are written, and laid out as files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import regression_sets
from regression_sets import FOLDER, PageError, Program, gather, lay_out, page_of, read_set

ROOT = Path(__file__).parent.parent

PROGRAMS = [
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
    page.write_text(page_of("set_a", PROGRAMS), encoding="utf-8")
    assert read_set(page) == PROGRAMS


def test_what_is_laid_out_is_gathered(tmp_path: Path) -> None:
    lay_out(PROGRAMS, tmp_path)
    assert gather("set_a", tmp_path) == PROGRAMS
    rows = [json.loads(line) for line in (tmp_path / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows[0]["bug_lines"] == {"train.py": [1, 3], "nets/head.py": [2]}
    assert (tmp_path / "cases" / "a02" / "fixed.py").read_text(encoding="utf-8") == "b\n"
    assert (tmp_path / "clean" / "a03.py").exists()
    assert (tmp_path / "clean" / "a04" / "b" / "c.py").exists()


def test_context_that_is_not_there_is_told(tmp_path: Path) -> None:
    page = tmp_path / "set_a.md"
    page.write_text(page_of("set_a", PROGRAMS).replace("\n-b\n", "\n-c\n"), encoding="utf-8")
    assert "\n-c\n" not in page.read_text(encoding="utf-8")
    page.write_text(page_of("set_a", PROGRAMS).replace("\n-a\n", "\n-c\n"), encoding="utf-8")
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
