"""Open buffers over the disk."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from devls.project import workspace
from devls.project.workspace import Workspace
from devls.syntax import layout
from devls.syntax.source import Source
from devls.text import reading
from devls.text.reading import UnreadableFileError


def test_buffers_win_over_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("on_disk = 1")
    files = Workspace([str(tmp_path)])
    disk = files.source(str(path))
    assert (disk.text, files.is_open(str(path))) == ("on_disk = 1", False)
    files.open(str(path), "typed = 1")
    assert files.source(str(path)).text == "typed = 1"
    assert files.is_open(str(path))
    files.close(str(path))
    assert files.source(str(path)) is disk
    files.close(str(path))


def test_a_source_lasts_as_long_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1")
    files = Workspace()
    first = files.source(str(path))
    assert files.source(str(tmp_path / "sub" / ".." / "a.py")) is first
    files.open(str(path), "a = 1")
    assert files.source(str(path)) is first
    files.open(str(path), "a = 1")
    assert files.source(str(path)) is first
    files.close(str(path))
    os.utime(path, ns=(1, 1))
    assert files.source(str(path)) is first
    path.write_text("a = 2")
    os.utime(path, ns=(2, 2))
    assert files.source(str(path)).text == "a = 2"


def test_paths_are_absolute_and_normal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("x")
    files = Workspace(["sub/..", "."])
    assert files.roots == (str(tmp_path), str(tmp_path))
    assert files.source("./a.py").path == str(tmp_path / "a.py")
    files.open("untitled:Untitled-1", "y")
    assert files.source("untitled:Untitled-1").path == "untitled:Untitled-1"


def test_exists(tmp_path: Path) -> None:
    files = Workspace()
    (tmp_path / "a.py").write_text("")
    files.open(str(tmp_path / "new.py"), "")
    assert files.exists(str(tmp_path / "a.py"))
    assert files.exists(str(tmp_path / "new.py"))
    assert not files.exists(str(tmp_path))
    assert not files.exists(str(tmp_path / "other.py"))
    assert not files.exists("nul\0")


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: latin-1\r\nx = '\xe9'\r\n")
    assert Workspace().source(str(path)).text == "# coding: latin-1\r\nx = 'é'\r\n"


def unreadable(path: Path | str) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        Workspace().source(str(path))
    assert caught.value.path == workspace.normalize(str(path))
    assert str(caught.value) == f"Cannot read {caught.value.path}: {caught.value.reason}."
    return caught.value.reason


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    assert unreadable(path) == "it does not exist"
    path.write_bytes(b"\x7fELF\0")
    assert unreadable(path) == "it is a binary file"
    assert unreadable(path / "b.py") == "it does not exist"
    assert unreadable(tmp_path) == "it is a folder"
    assert "null" in unreadable("a\0b")
    assert unreadable("/dev/null") == "it is not a regular file"
    path.write_bytes(b"\xff")
    assert unreadable(path) == "it is not valid utf-8 (line 1)"
    path.write_text("x = 1  # long")
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 4)
    assert unreadable(path).startswith("it is larger than")


def test_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    # Root may read everything: the refusal is played.
    monkeypatch.setattr(os, "open", refuse)
    assert unreadable(path) == "permission denied"


def test_a_file_that_went_away_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    files = Workspace()
    files.source(str(path))
    path.unlink()
    with pytest.raises(UnreadableFileError):
        files.source(str(path))


MODULES = sorted((Path(__file__).parent.parent / "server" / "devls" / "syntax").glob("*.py"))


def functions_of(source: Source) -> list[ast.FunctionDef]:
    """Those at the top and in classes whose bodies are longer than a few lines."""
    classes = [each.body for each in source.tree.body if isinstance(each, ast.ClassDef)]
    return [
        each
        for body in (source.tree.body, *classes)
        for each in body
        if isinstance(each, ast.FunctionDef) and (each.end_lineno or 0) > each.lineno + 2
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_bodies_of_imported_functions_are_read_when_somebody_looks(path: Path) -> None:
    source = Workspace(editing=True).source(str(path))
    functions = functions_of(source)
    assert not [each.name for each in functions if "body" in vars(each)]
    whole = ast.parse(path.read_text("utf-8"))
    assert ast.dump(source.tree, include_attributes=True) == ast.dump(whole, include_attributes=True)
    assert functions_of(source) == functions, "a node is one object throughout"


def test_a_tree_that_is_forgotten_leaves_nodes_that_can_be_read() -> None:
    source = Workspace(editing=True).source(str(MODULES[-1]))
    function = functions_of(source)[0]
    source.forget_tree()
    assert function.body
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = function.no_such_thing


def test_statements_that_say_something_are_found_in_one_look() -> None:
    source = Source(
        "/a.py",
        "import a\n@a\ndef f(x):\n    return a\nb = 1; c = f(b)\nd = (\n    b\n); a\n\nclass C(a):\n    b = f\n",
    )
    for texts in (["a"], ["b"], ["f"], ["a", "f"], ["return"], ["none"], ["("], ["@"], []):
        said = [each for each in source.statements if source.mentions(each, *texts)]
        assert layout.saying(source, texts) == said
    cls = source.statements[-1]
    assert isinstance(cls, ast.ClassDef)
    assert layout.saying(source, ["f", "C"], cls) == cls.body
