"""Mistakes whose cause stands in one file and whose failure in another: `projects/*.md`.

A page has a program of several files, `# file: name.py`, of which the last is the one that is run. A comment says what is
found there: `# error: [rule]`, or `# error: [rule] via name.py:LINE, ...` with the places in other files that have to be
among the related ones, those of the story in its order. The block after it, `py fixed`, is the part that differs once
mended, by file; nothing may be found in any file of it. A block without any mark is silent, too.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from checking import line_of, write_files
from devls.analysis import Analyzer, merge
from devls.config import Config
from devls.project.mentions import Mentions
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


# Observations of calls in other files are known wherever a file is analyzed: beside them or alone, in an editor, after
# an edit


BOXES = """
import torch

def rescaled(boxes: torch.Tensor, size):
    width, height = size
    return boxes * torch.tensor([width, height, width, height])
"""
DETECTOR = """
from library.utils.boxes import rescaled

def detect(model, images, size):
    return rescaled(model(images).cpu(), size)
"""
FILES = {
    "library/__init__.py": "",
    "library/utils/__init__.py": "",
    "library/utils/boxes.py": BOXES,
    "library/detector.py": DETECTOR,
}
UNKNOWN = DETECTOR.replace(".cpu()", "")
FOUND = ["tensor-created-off-device"]


class InLibrary:
    def __init__(self, folder: Path, *, editing: bool = False, root: str = "") -> None:
        write_files(FILES, folder)
        self.folder = folder
        self.workspace = Workspace((str(folder / root),), editing=editing)
        self.analyzer = Analyzer(self.workspace, lambda _: Config(), hovers=False)
        self.boxes = str(folder / "library/utils/boxes.py")
        self.detector = str(folder / "library/detector.py")

    def found(self) -> list[str]:
        return [each.rule for each in self.analyzer.analyze(self.boxes).diagnostics]

    def open(self, path: str, text: str) -> frozenset[str]:
        self.workspace.open(path, text)
        return self.analyzer.changed(path)


def test_it_is_the_same_whatever_was_analyzed_before(tmp_path: Path) -> None:
    project = InLibrary(tmp_path)
    assert project.found() == []
    project.analyzer.analyze(project.detector)
    assert project.found() == []


@pytest.mark.parametrize("root", ["", "library", "library/utils"])
def test_it_is_the_same_whichever_folder_is_checked(tmp_path: Path, root: str) -> None:
    assert InLibrary(tmp_path, root=root).found() == []
    (tmp_path / "library/detector.py").write_text(UNKNOWN)
    workspace = Workspace((str(tmp_path / root),))
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    analysis = analyzer.analyze(str(tmp_path / "library/utils/boxes.py"))
    assert [each.rule for each in analysis.diagnostics] == FOUND


def test_a_project_below_a_folder_for_tests_is_none(tmp_path: Path) -> None:
    assert InLibrary(tmp_path / "tests").found() == []


@pytest.mark.parametrize("both", [False, True])
def test_an_edit_of_the_caller_is_seen_in_an_editor(tmp_path: Path, both: bool) -> None:
    project = InLibrary(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    if both:
        project.open(project.detector, DETECTOR)
    assert project.found() == []
    assert project.boxes in project.open(project.detector, UNKNOWN)
    assert project.found() == FOUND
    assert project.boxes in project.open(project.detector, DETECTOR)
    assert project.found() == []


def test_an_edit_of_the_function_itself_is_seen_in_an_editor(tmp_path: Path) -> None:
    project = InLibrary(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    assert project.found() == []
    project.open(project.boxes, BOXES.replace("rescaled", "scaled"))
    assert project.found() == FOUND
    project.open(project.boxes, BOXES.replace("height, width", "height, 1"))
    assert project.found() == []


def test_callers_that_come_and_go_are_seen(tmp_path: Path) -> None:
    project = InLibrary(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    assert project.found() == []
    late = tmp_path / "library/late.py"
    late.write_text(UNKNOWN)
    assert project.boxes in project.analyzer.changed(str(late))
    assert project.found() == FOUND
    late.unlink()
    assert project.boxes in project.analyzer.changed(str(late))
    assert project.found() == []


def test_an_edit_elsewhere_is_none_of_its_business(tmp_path: Path) -> None:
    project = InLibrary(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    assert project.found() == []
    assert project.boxes not in project.open(str(tmp_path / "library/other.py"), "x = 1\n")


def test_what_was_asked_counts_as_used(tmp_path: Path) -> None:
    project = InLibrary(tmp_path)
    project.found()
    assert project.detector in project.analyzer.used_by(project.boxes)
    assert project.analyzer.asked_by(project.boxes) == {("rescaled", str(tmp_path))}
    project.analyzer.analyze(project.detector)
    assert project.analyzer.asked_by(project.detector) == frozenset()


def test_a_folder_that_is_too_large_leaves_those_in_it_to_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(dict.fromkeys(("project/a.py", "project/b.py", "c.py"), "wanted()\n"), tmp_path)
    paths = [str(tmp_path / name) for name in ("c.py", "project/a.py", "project/b.py")]
    roots = (str(tmp_path / "project"), str(tmp_path))
    found = Mentions(Workspace(roots)).of("wanted", paths[1])
    assert found is not None
    assert [each.path for each in found] == paths
    monkeypatch.setattr("devls.project.mentions.MAX_FILES", 2)
    found = Mentions(Workspace(roots)).of("wanted", paths[1])
    assert found is not None
    assert [each.path for each in found] == paths[1:]
    write_files({"setup.py": ""}, tmp_path)
    assert Mentions(Workspace(roots)).of("wanted", paths[1]) is None


def test_files_that_are_not_the_projects_are_not_asked(tmp_path: Path) -> None:
    names = ("main.py", "venv/lib/a.py", ".git/b.py", "env/pyvenv.cfg", "env/c.py", "deep/down/d.py", "e.txt")
    write_files(dict.fromkeys(names, "wanted()\n"), tmp_path)
    mentions = Mentions(Workspace((str(tmp_path),)))
    found = mentions.of("wanted", str(tmp_path / "main.py"))
    assert found is not None
    assert [each.path for each in found] == [str(tmp_path / "deep/down/d.py"), str(tmp_path / "main.py")]
    assert mentions.of("want", str(tmp_path / "main.py")) == ()
    assert mentions.of("wanted", "untitled:Untitled-1") is None


CALLED_TWICE = {
    "lib.py": "import torch\n\ndef scaled(image):\n    return image * torch.ones(3)\n",
    "one.py": "import torch\nfrom lib import scaled\n\nscaled(torch.ones(3, device='cuda'))\n",
    "two.py": "import torch\nfrom lib import scaled\n\ndef main():\n    scaled(torch.ones(3).cuda())\n\nmain()\n",
}


def test_the_way_to_a_finding_is_the_same_in_any_order_of_files(tmp_path: Path) -> None:
    write_files(CALLED_TWICE, tmp_path)
    told = []
    for names in itertools.permutations(CALLED_TWICE):
        paths = [str(tmp_path / name) for name in names]
        analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config())
        told.append(merge(map(analyzer.analyze, paths), paths)[str(tmp_path / "lib.py")])
    assert told[0]
    assert all(each == told[0] for each in told)
