"""Where a report goes, and how much of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.cli import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


def test_several_formats_at_once(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    ran = devls(
        "check",
        *("--output-format", "concise", "--output-format", "json=out/found.json"),
        *("--output-format", "sarif=found.sarif"),
    )
    assert ran.status == 1
    assert ran.out == "a.py:1:1: error[mixed-devices] [*] `bad` is wrong\n"
    assert json.loads(Path("out/found.json").read_text())[0]["code"] == "mixed-devices"
    assert json.loads(Path("found.sarif").read_text())["version"] == "2.1.0"


def test_a_file_in_place_of_the_terminal(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    ran = devls("check", "--output-format", "json", "--output-file", "found.json")
    assert (ran.status, ran.out, ran.err) == (1, "", "")
    assert json.loads(Path("found.json").read_text())[0]["code"] == "mixed-devices"
    assert devls("check", "--output-file", "found.txt", "--color", "auto").out == ""
    assert Path("found.txt").read_text().startswith("error[mixed-devices] a.py:1:1\n")


def test_the_last_format_wins(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    ran = devls("check", "--output-format", "json", "--output-format", "concise")
    assert ran.out.startswith("a.py:1:1: ")


def test_a_file_that_cannot_be_written(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    Path("folder").mkdir()
    ran = devls("check", "--output-format", "json=folder", "--output-format", "concise")
    assert ran.status == 2
    assert "folder is not written: is a directory." in ran.err
    assert ran.out.startswith("a.py:1:1: ")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("--output-format", "sarfi"), "there is no format 'sarfi' (did you mean 'sarif'?)"),
        (("--output-format", "jsn=a.json"), "there is no format 'jsn' (did you mean 'json'?)"),
        (("--statistics", "--output-format", "sarif"), "--statistics is printed as human, concise or json"),
    ],
)
def test_formats_that_there_are_not(devls: Callable[..., Ran], argv: tuple[str, ...], says: str) -> None:
    ran = devls("check", *argv)
    assert ran.status == 2
    assert says in ran.err


def test_statistics(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\nhint\nbad\n")
    Path("b.py").write_text("bad\nx.to(d)\n")
    ran = devls("check", "--statistics")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "3  [*] mixed-devices       in 2 files",
        "1  [*] discarded-transfer  in 1 file",
        "1  [ ] revealed-value      in 1 file",
    ]
    found = json.loads(devls("check", "--statistics", "--output-format", "json").out)
    assert found[0] == {"code": "mixed-devices", "count": 3, "files": 2, "fixable_count": 3}
    Path("a.py").write_text("good\n")
    Path("b.py").write_text("good\n")
    assert devls("check", "--statistics").out == ""


def test_colors(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text("bad\n")
    red = "\x1b[1;31merror[mixed-devices]"
    assert red not in devls("check").out
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    assert red in devls("check", "--color", "always").out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in devls("check", "--color", "never").out


def test_quiet_and_verbose(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    assert devls("check").out.splitlines()[-1].startswith("Found 1 error")
    assert "Found" not in devls("check", "-q").out
    Path("pyproject.toml").write_text("[tool.devls]\nignore = ['device']\n")
    assert devls("check", "--quiet").out == ""
    ran = devls("check", "-v")
    assert ran.out == "Nothing found in 1 file.\n"
    assert "devls: pyproject.toml is used.\n" in ran.err
    assert "devls: 1 file checked in " in ran.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals_and_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        now[0] = 0.0
        shown = progress.Progress(3, stream)
        shown.at(0, "a.py")
        now[0] = 2.0
        shown.at(1, "b\x1b.py")
        shown.at(2, "c.py")
        shown.end()
    assert file.getvalue() == ""
    assert terminal.getvalue() == "\r\x1b[2Kchecked 1 of 3 files: b\\x1b.py\r\x1b[2K"


def test_progress_of_a_short_run_is_nothing() -> None:
    terminal = Terminal()
    shown = progress.Progress(1, terminal)
    shown.at(0, "a.py")
    shown.end()
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("option", ["--output-file", "--output-format=json", "--write-baseline"])
def test_code_is_not_written_over(devls: Callable[..., Ran], option: str) -> None:
    Path("a.py").write_text("bad\n")
    Path("other.py").write_text("bad\n")
    Path("script").write_text("bad\n")
    Path("link.txt").symlink_to("script")
    Path("pyproject.toml").write_text("[tool.devls]\n")
    for name in ("a.py", "./other.py", "script", "link.txt", "pyproject.toml"):
        ran = devls("check", "a.py", "script", f"{option}={name}")
        assert (ran.status, ran.out) == (2, "")
        assert (
            ran.err
            == f"devls: nothing was checked: {name} holds code or settings, and is not written over.\n"
        )
    assert {Path(each).read_text() for each in ("a.py", "other.py", "script")} == {"bad\n"}
    assert Path("pyproject.toml").read_text() == "[tool.devls]\n"
    assert devls("check", "a.py", f"{option}=new.py").status in (0, 1)


def test_each_format_has_a_file_of_its_own(devls: Callable[..., Ran]) -> None:
    for outputs in (("json=x", "sarif=./x"), ("json=",)):
        Path("a.py").write_text("bad\n")
        ran = devls("check", "a.py", *(f"--output-format={each}" for each in outputs))
        assert (ran.status, ran.out, Path("x").exists()) == (2, "", False)
        assert "--output-format" in ran.err
