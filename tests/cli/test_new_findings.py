"""Findings that are new: since a baseline, and on changed lines."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.cli import changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


@pytest.fixture
def new(devls: Callable[..., Ran]) -> Callable[..., list[str]]:
    """Findings besides the baseline, which holds those in `a.py` at first."""
    Path("a.py").write_text("bad\nx = bad\nstuck\n")
    wrote = devls("check", "--write-baseline", "base.json")
    assert (wrote.status, wrote.out) == (0, "")
    assert wrote.err == "devls: 3 findings written to base.json.\n"

    def call(text: str, *argv: str) -> list[str]:
        Path("a.py").write_text(text)
        ran = devls("check", "--baseline", "base.json", "--output-format", "concise", *argv)
        assert ran.status == (1 if ran.out else 0)
        return [line.partition(": ")[0] for line in ran.out.splitlines()]

    return call


def test_what_is_in_the_baseline_is_not_reported(new: Callable[..., list[str]]) -> None:
    assert new("bad\nx = bad\nstuck\n") == []


def test_edits_elsewhere_change_nothing(new: Callable[..., list[str]]) -> None:
    assert new("import x\n\nif x:\n    bad\n\nstuck\ny = 3 + bad\n") == []


def test_new_findings_are_reported(new: Callable[..., list[str]]) -> None:
    assert new("bad\nx = bad\nstuck\nbad\nbroken\n") == ["a.py:4:1", "a.py:5:1"]
    Path("b.py").write_text("bad\n")
    assert new("bad\n") == ["b.py:1:1"]


def test_a_finding_that_is_gone_is_said(devls: Callable[..., Ran], new: Callable[..., list[str]]) -> None:
    new("bad\n")
    ran = devls("check", "--baseline", "base.json")
    assert ran.status == 0
    assert ran.err.splitlines() == [
        "devls: 1 finding of base.json not reported.",
        "devls: 2 findings of it are gone; --write-baseline base.json forgets them.",
    ]
    Path("b.py").write_text("good\n")
    assert "gone" not in devls("check", "b.py", "--baseline", "base.json").err
    assert devls("check", "--baseline", "base.json", "--quiet").err == ""


def test_it_is_the_same_from_every_folder(devls: Callable[..., Ran]) -> None:
    Path("sub").mkdir()
    Path("sub/a.py").write_text("bad\n")
    devls("check", "--write-baseline", "base.json")
    assert devls("check", "a.py", "--baseline", "../base.json", here="sub").status == 0


def test_only_new_findings_are_fixed(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\n")
    devls("check", "--write-baseline", "base.json")
    Path("a.py").write_text("x.to(d)\ny.to(d)\n")
    assert devls("check", "--baseline", "base.json", "--fix").status == 0
    assert Path("a.py").read_text() == "x.to(d)\ny = y.to(d)\n"


def test_the_file_is_for_people_too(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\nbad\nstuck\n")
    devls("check", "--write-baseline", "base.json")
    found = json.loads(Path("base.json").read_text())
    assert found["version"] == 1
    assert [(each["filename"], each["code"], each["count"]) for each in found["findings"]] == [
        ("a.py", "mixed-devices", 2),
        ("a.py", "numpy-on-grad", 1),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "base.json is not used as a baseline: it does not exist; --write-baseline writes it."),
        ("", "base.json is not a baseline."),
        ("[]", "base.json is not a baseline."),
        ('{"version": 2}', "base.json is a baseline of another version of devls."),
        ('{"version": 1, "findings": [3]}', "base.json is not a baseline."),
    ],
)
def test_what_is_no_baseline(devls: Callable[..., Ran], text: str | None, says: str) -> None:
    Path("a.py").write_text("bad\n")
    if text is not None:
        Path("base.json").write_text(text)
    ran = devls("check", "--baseline", "base.json")
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def test_a_baseline_that_cannot_be_written(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    assert devls("check", "--write-baseline", "nowhere/base.json").status == 2
    assert devls("check", "--write-baseline", "base.json", "--fix").status == 2


# -- `--diff-base`: only what changed lines have a part in.


def git(*arguments: str) -> None:
    settings = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *settings, *arguments], check=True, capture_output=True)


def commit(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.py").write_text(text)
    git("add", "-A")
    git("commit", "-qm", "a commit")


@pytest.fixture
def places(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Lines of findings since a revision of the repository in the working folder."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git("init", "-q")
    commit(a="origin\n\nbad\nbad\n", b="bad\n")

    def call(revision: str = "HEAD", *argv: str, here: str = "") -> list[str]:
        ran = devls("check", "--diff-base", revision, "--output-format", "concise", *argv, here=here)
        assert ran.err == ""
        assert ran.status == (1 if ran.out else 0)
        return [line.partition(": ")[0] for line in ran.out.splitlines()]

    return call


def test_only_changed_lines(places: Callable[..., list[str]]) -> None:
    assert places() == []
    Path("a.py").write_text("origin\n\nbad\nbad\nx = bad\n")
    assert places() == ["a.py:5:5"]


def test_a_changed_line_in_the_story(places: Callable[..., list[str]]) -> None:
    Path("a.py").write_text("origin  # here\n\nbad\nbad\n")
    assert places() == ["a.py:3:1", "a.py:4:1"]


def test_a_line_that_is_gone(places: Callable[..., list[str]]) -> None:
    commit(a="x\ny\nbad\nz\nbad\n")
    Path("a.py").write_text("x\nbad\nz\nbad\n")
    assert places() == ["a.py:2:1"]


def test_new_and_renamed_files(places: Callable[..., list[str]]) -> None:
    Path("new.py").write_text("bad\n")
    git("mv", "a.py", "renamed.py")
    assert places() == ["new.py:1:1"]
    Path("sub").mkdir()
    Path("sub/deep.py").write_text("bad\n")
    assert places(here="sub") == ["deep.py:1:1"]


def test_a_revision_that_went_on(places: Callable[..., list[str]]) -> None:
    """Later changes by others are no changes of mine."""
    git("checkout", "-qb", "mine")
    commit(c="bad\n")
    git("checkout", "-q", "main")
    commit(b="x = 1\n")
    git("checkout", "-q", "mine")
    assert places("main") == ["c.py:1:1"]


def test_fixes_of_changed_lines_only(devls: Callable[..., Ran], places: Callable[..., list[str]]) -> None:
    commit(a="x.to(d)\n", b="good\n")
    Path("a.py").write_text("x.to(d)\nz = 1\ny.to(d)\n")
    assert devls("check", "--diff-base", "HEAD", "--fix").status == 0
    assert Path("a.py").read_text() == "x.to(d)\nz = 1\ny = y.to(d)\n"
    assert places() == []


def test_cells_of_a_notebook(places: Callable[..., list[str]]) -> None:
    def notebook(*cells: str) -> str:
        made = [{"cell_type": "code", "source": each, "metadata": {}, "outputs": []} for each in cells]
        return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    Path("a.ipynb").write_text(notebook("bad", "x = 1"))
    git("add", "-A")
    git("commit", "-qm", "notebook")
    Path("a.ipynb").write_text(notebook("bad", "x = 1", "bad"))
    assert places() == ["a.ipynb:cell 3:1:1"]


@pytest.mark.usefixtures("places")
def test_no_such_revision(devls: Callable[..., Ran]) -> None:
    ran = devls("check", "--diff-base", "nowhere")
    assert (ran.status, ran.out) == (2, "")
    assert "there is no revision 'nowhere'" in ran.err
    assert "there is no revision '--output=x'" in devls("check", "--diff-base=--output=x").err


def test_no_repository_and_no_git(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    Path("a.py").write_text("bad\n")
    assert "this is no git repository" in devls("check", "--diff-base", "HEAD").err
    monkeypatch.setenv("PATH", "")
    ran = devls("check", "--diff-base", "HEAD")
    assert ran.status == 2
    assert "--diff-base needs git" in ran.err


@pytest.mark.usefixtures("places")
def test_a_repository_in_which_git_waits(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    commit(a="bad\n")
    Path(".git/HEAD").unlink()
    os.mkfifo(".git/HEAD")
    monkeypatch.setattr(changes, "PATIENCE", 0.5)
    ran = devls("check", "--diff-base", "HEAD")
    assert (ran.status, ran.out) == (2, "")
    assert "git has not answered for" in ran.err


@pytest.mark.usefixtures("places")
def test_a_repository_names_no_program_that_is_started(devls: Callable[..., Ran]) -> None:
    commit(a="origin\n")
    git("config", "core.fsmonitor", "touch started; :")
    git("status")
    assert Path("started").exists()
    Path("started").unlink()
    Path("a.py").write_text("bad\n")
    assert devls("check", "--diff-base", "HEAD").status == 1
    assert not Path("started").exists()
