"""What the calls in other files show is known wherever a file is analyzed: beside them or alone, in an editor, after an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.mentions import Mentions
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

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


class Project:
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
    project = Project(tmp_path)
    assert project.found() == []
    project.analyzer.analyze(project.detector)
    assert project.found() == []


@pytest.mark.parametrize("root", ["", "library", "library/utils"])
def test_it_is_the_same_whichever_folder_is_checked(tmp_path: Path, root: str) -> None:
    assert Project(tmp_path, root=root).found() == []
    (tmp_path / "library/detector.py").write_text(UNKNOWN)
    workspace = Workspace((str(tmp_path / root),))
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    analysis = analyzer.analyze(str(tmp_path / "library/utils/boxes.py"))
    assert [each.rule for each in analysis.diagnostics] == FOUND


def test_a_project_below_a_folder_for_tests_is_none(tmp_path: Path) -> None:
    assert Project(tmp_path / "tests").found() == []


@pytest.mark.parametrize("both", [False, True])
def test_an_edit_of_the_caller_is_seen_in_an_editor(tmp_path: Path, both: bool) -> None:
    project = Project(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    if both:
        project.open(project.detector, DETECTOR)
    assert project.found() == []
    assert project.boxes in project.open(project.detector, UNKNOWN)
    assert project.found() == FOUND
    assert project.boxes in project.open(project.detector, DETECTOR)
    assert project.found() == []


def test_an_edit_of_the_function_itself_is_seen_in_an_editor(tmp_path: Path) -> None:
    project = Project(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    assert project.found() == []
    project.open(project.boxes, BOXES.replace("rescaled", "scaled"))
    assert project.found() == FOUND
    project.open(project.boxes, BOXES.replace("height, width", "height, 1"))
    assert project.found() == []


def test_callers_that_come_and_go_are_seen(tmp_path: Path) -> None:
    project = Project(tmp_path, editing=True)
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
    project = Project(tmp_path, editing=True)
    project.open(project.boxes, BOXES)
    assert project.found() == []
    assert project.boxes not in project.open(str(tmp_path / "library/other.py"), "x = 1\n")


def test_what_was_asked_counts_as_used(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.found()
    assert project.detector in project.analyzer.used_by(project.boxes)
    assert project.analyzer.asked_by(project.boxes) == {("rescaled", str(tmp_path))}
    project.analyzer.analyze(project.detector)
    assert project.analyzer.asked_by(project.detector) == frozenset()


def test_files_that_are_not_the_projects_are_not_asked(tmp_path: Path) -> None:
    names = ("main.py", "venv/lib/a.py", ".git/b.py", "env/pyvenv.cfg", "env/c.py", "deep/down/d.py", "e.txt")
    write_files(dict.fromkeys(names, "wanted()\n"), tmp_path)
    mentions = Mentions(Workspace((str(tmp_path),)))
    found = mentions.of("wanted", str(tmp_path / "main.py"))
    assert found is not None
    assert [each.path for each in found] == [str(tmp_path / "deep/down/d.py"), str(tmp_path / "main.py")]
    assert mentions.of("want", str(tmp_path / "main.py")) == ()
    assert mentions.of("wanted", "untitled:Untitled-1") is None
