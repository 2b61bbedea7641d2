"""The Python whose torch is asked: which it is, and which are never started."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from devls.probe.interpreters import candidates, choose, lies_inside

if TYPE_CHECKING:
    from pathlib import Path


def program(place: Path, mark: Path) -> Path:
    """A program that leaves a mark."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\ntouch {mark}\n")
    place.chmod(0o755)
    return place


def test_the_order(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    places = [
        program(tmp_path / name, mark) for name in ("venv/bin/python", "conda/bin/python", "bin/python3")
    ]
    environment = {
        "VIRTUAL_ENV": str(tmp_path / "venv"),
        "CONDA_PREFIX": str(tmp_path / "conda"),
        "PATH": f"relative:{tmp_path / 'bin'}",
    }
    assert [each.python for each in candidates(environment)] == [sys.executable, *map(str, places)]
    assert not mark.exists()


def test_what_lies_inside(tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "elsewhere"
    mark = tmp_path / "mark"
    inside = program(folder / ".venv/bin/python", mark)
    tool = program(outside / "python", mark)
    link_out = folder / "python"
    link_out.symlink_to(tool)
    link_in = outside / "link"
    link_in.symlink_to(inside)
    (outside / "folder").symlink_to(folder)
    for each in (inside, link_out, link_in, outside / "folder" / ".venv" / "bin" / "python"):
        assert lies_inside(str(each), [str(folder)]), each
    assert not lies_inside(str(tool), [str(folder)])
    # Nobody keeps a repository in the home folder itself, and many keep their environments there.
    assert not lies_inside(os.path.expanduser("~/x/bin/python"), [os.path.expanduser("~")])  # noqa: PTH111


def test_nothing_inside_is_started_however_it_was_found(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    folder = tmp_path / "project"
    inside = program(folder / ".venv/bin/python", mark)
    program(folder / "bin/python3", mark)
    program(folder / "bin/python", mark)
    environments = (
        {"VIRTUAL_ENV": str(folder / ".venv")},
        {"CONDA_PREFIX": str(folder / ".venv")},
        {"PATH": str(folder / "bin")},
    )
    for environment in environments:
        probe, passed_over = choose(forbidden=[str(folder)], environment=environment)
        probe.close()
        assert "lies inside" in passed_over or probe.python == sys.executable
    probe, passed_over = choose(str(inside), forbidden=[str(folder)], environment={})
    assert "lies inside" in probe.problem
    assert passed_over == probe.problem
    assert not mark.exists()
    # The same program is started where nothing forbids it.
    choose(str(inside), environment={})[0].close()
    assert mark.exists()
