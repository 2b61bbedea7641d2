"""Mistakes whose cause stands in one file and whose failure in another: `projects/*.md`.

A page has a program of several files, `# file: name.py`, of which the last is the one that is run. A comment says what is
found there: `# error: [rule]`, or `# error: [rule] via name.py:LINE, ...` with the places in other files that have to be
among the related ones, those of the story in its order. The block after it, `py fixed`, is the part that differs once
mended, by file; nothing may be found in any file of it. A block without any mark is silent, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from checking import line_of, write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace
from pages import split_files

PROJECTS = Path(__file__).parent / "projects"

_FENCE = re.compile(r"^```py(?P<info> fixed)?[ \t]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_ERROR = re.compile(r"[ \t]*# error: \[(?P<rule>[\w-]+)\](?: via (?P<via>[^\n]*))?[ \t]*$")


@dataclass(frozen=True)
class Project:
    id: str
    files: dict[str, str]
    expected: tuple[tuple[str, int, str, tuple[str, ...]], ...]


def read() -> list[Project]:
    found = list[Project]()
    for path in sorted(PROJECTS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for fence in _FENCE.finditer(text):
            files = split_files(fence["code"])
            if fence["info"]:
                files = {**found[-1].files, **files}
            expected = []
            for name, code in files.items():
                lines = code.splitlines()
                for number, line in enumerate(lines, 1):
                    if mark := _ERROR.search(line):
                        via = tuple(each.strip() for each in (mark["via"] or "").split(",") if each.strip())
                        expected.append((name, number, mark["rule"], via))
                files[name] = "".join(_ERROR.sub("", line) + "\n" for line in lines)
            where = (
                f"{path.stem}:{text.count(chr(10), 0, fence.start()) + 1}{'-fixed' if fence['info'] else ''}"
            )
            found.append(Project(where, files, tuple(expected)))
    return found


@pytest.mark.parametrize("project", read(), ids=lambda project: project.id)
def test_project(project: Project, tmp_path: Path) -> None:
    write_files(project.files, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config(), hovers=False)
    found: dict[tuple[str, int, str], list[str]] = {}
    for name in project.files:
        analysis = analyzer.analyze(str(tmp_path / name))
        for each in (*analysis.diagnostics, *analysis.elsewhere):
            related = [place(near.path, near.range.start, tmp_path) for near in each.related]
            file, _, line = place(each.path, each.range.start, tmp_path).partition(":")
            found.setdefault((file, int(line), each.rule), []).extend(related)
    assert sorted(found) == sorted((name, line, rule) for name, line, rule, _ in project.expected)
    for name, line, rule, via in project.expected:
        related = found[name, line, rule]
        assert [each for each in related if each in via][: len(via)] == list(via), related


def place(path: str, offset: int, folder: Path) -> str:
    text = Path(path).read_text(encoding="utf-8")
    return f"{Path(path).relative_to(folder).as_posix()}:{line_of(text, offset)}"
