"""How a check ends, with a status that a job can trust, and where its report goes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.cli import configuration, progress
from devls.cli.configuration import line_of
from devls.config import parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.devls\n", "pyproject.toml:1: is not valid TOML"),
        ("[tool.devls]\nselect = [\n\n", "pyproject.toml:2: is not valid TOML"),
        (
            "[project]\n\n[tool.devls]\n\nselct = []\n",
            "pyproject.toml:5: tool.devls.selct: is not a known setting (did you mean 'select'?)",
        ),
        (
            "[tool.devls]\nselect = [\n  'device',\n  'mixed-device',\n]\n",
            "pyproject.toml:2: tool.devls.select: there is no rule or family named 'mixed-device' (did you mean 'mixed-devices'?)",
        ),
        (
            "[tool.devls.levels]\ndevice = 'info'\nmixed-devices = 'eror'\n",
            "pyproject.toml:3: tool.devls.levels.mixed-devices: has to be one of error, warning, info, off",
        ),
        (
            "[tool.devls]\nselect = ['ALL']\n",
            "there is no rule or family named 'ALL' (all rules are reported where `select` is empty)",
        ),
        ("[tool]\ndevls = 3\n", "pyproject.toml:2: tool.devls: has to be a table"),
    ],
)
def test_wrong_configuration(devls: Callable[..., Ran], text: str, says: str) -> None:
    """Nothing is checked, and nothing fixed, by settings that the author did not mean."""
    Path("a.py").write_text("x.to(d)\n")
    Path("pyproject.toml").write_text(text)
    for flags in ((), ("--exit-zero",), ("--fix",)):
        ran = devls("check", *flags)
        assert (ran.status, ran.out) == (2, "")
        assert says in ran.err
    assert Path("a.py").read_text() == "x.to(d)\n"


def test_the_configuration_of_files_that_are_not_checked_may_be_wrong(devls: Callable[..., Ran]) -> None:
    for name in ("a/a.py", "b/b.py", "b/pyproject.toml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("[tool.devls\n" if name.endswith("toml") else "good\n")
    assert devls("check", "a").status == 0
    assert devls("check", "b").status == 2


@pytest.mark.parametrize(
    ("text", "keys", "line"),
    [
        ("a = 1\nb = 2\n", ["b"], 2),
        ("[t]\nx = 1\n[u]\nx = 2\n", ["u", "x"], 4),
        ('# x\ny = "x = 1"\nx = [\n 1,\n]\n', ["x"], 3),
        ("t.x = 1\n", ["t", "x"], 1),
        ("t = { x = 1 }\n", ["t", "x"], 1),
        ("a = 1\n", ["b"], 0),
        ("[t\nx = 1\n", ["t", "x"], 0),
    ],
)
def test_the_line_of_a_key(text: str, keys: list[str], line: int) -> None:
    assert line_of(text, keys) == line


def test_the_line_of_a_key_with_dots_is_that_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(configuration, "parsed", lambda text: read.append(len(text)) or parsed(text))
    short = '[tool.devls]\n\n[tool.devls.per-file-ignores]\n"a.b.py" = ["X"]\n'
    assert line_of(short, ["tool", "devls", "per-file-ignores", "a", "b", "py"]) == 3
    table = "[tool.devls.per-file-ignores]\n"
    long = table + "".join(f'"{"**/" * each}*.py" = ["X"]\n' for each in range(1, 160))
    read.clear()
    assert line_of(long, ["tool", "devls", "per-file-ignores", "**/**/*", "py"]) in {0, 1}
    assert sum(read) < 200_000  # millions, if each part is parsed for each part of the key


def test_files_that_cannot_be_parsed_or_read(devls: Callable[..., Ran]) -> None:
    Path("half.py").write_text("x = (\n")
    Path("old.py").write_text("print 'x'\n")
    Path("binary.py").write_bytes(b"\0")
    Path("latin.py").write_bytes(b"'\xe9'\n")
    ran = devls("check", "--output-format", "concise")
    assert ran.status == 1
    assert [line.split(" ")[1] for line in ran.out.splitlines()] == [
        "error[unreadable-file]",
        "error[syntax-error]",
        "error[unreadable-file]",
        "info[syntax-error]",
    ]


def test_such_findings_can_be_ignored_and_given_a_level(devls: Callable[..., Ran]) -> None:
    Path("half.py").write_text("x = (\n")
    Path("binary.py").write_bytes(b"\0")
    assert devls("check", "--ignore", "syntax-error,unreadable-file").status == 0
    selected = devls("check", "--select", "device", "--output-format", "concise")
    assert selected.out.count("error[") == 2
    Path("pyproject.toml").write_text("[tool.devls.levels]\nsyntax-error = 'info'\nunreadable-file = 'off'\n")
    ran = devls("check", "--output-format", "concise")
    assert [line.split(" ")[1] for line in ran.out.splitlines()] == ["info[syntax-error]"]
    Path("half.py").write_text("# devls: ignore-file[syntax-error]\nx = (\n")
    assert devls("check", "half.py").status == 0


def test_what_python_says_of_the_file_comes_first(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text('"""A notebook\n\nAs a script.\n"""\n\n!pip install torch\n\nimport torch\n')
    ran = devls("check", "--output-format", "concise")
    assert ran.out.startswith("a.py:6:1: error[syntax-error] this cannot be parsed: invalid syntax")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python 3.12 parses it")
@pytest.mark.parametrize("text", ['print(f"{"="*9}")\n', 'print(f"{\n    x\n}")\n'])
def test_an_f_string_of_a_newer_python_is_information(devls: Callable[..., Ran], text: str) -> None:
    Path("new.py").write_text(text)
    assert devls("check", "--output-format", "concise").out.split(" ")[1] == "info[syntax-error]"


def test_such_findings_have_pages(devls: Callable[..., Ran]) -> None:
    listed = devls("rules").out
    for name in ("syntax-error", "unreadable-file", "hidden-torch"):
        assert devls("explain", name).out.startswith(f"# {name}\n")
        assert f"  {name}" in listed


def test_a_file_that_does_not_parse_has_its_other_findings_fixed(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\ny = )\n")
    ran = devls("check", "--fix", "--output-format", "concise")
    assert ran.status == 1
    assert ran.out.startswith("a.py:2:1: error[syntax-error]")
    assert Path("a.py").read_text() == "x = x.to(d)\ny = )\n"


@pytest.mark.parametrize(
    ("text", "statuses"),
    [("bad\n", [1, 1, 1]), ("stuck\n", [0, 1, 1]), ("hint\n", [0, 0, 1]), ("good\n", [0, 0, 0])],
)
def test_the_level_that_fails(devls: Callable[..., Ran], text: str, statuses: list[int]) -> None:
    Path("a.py").write_text(text)
    levels = ("error", "warning", "info")
    assert [devls("check", "--fail-level", each).status for each in levels] == statuses
    assert devls("check").status == statuses[-1]
    assert devls("check", "--exit-zero").status == 0


def test_a_run_that_fixed_everything(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\n")
    assert devls("check", "--fix", "--exit-non-zero-on-fix").status == 1
    assert devls("check", "--fix", "--exit-non-zero-on-fix").status == 0
    Path("a.py").write_text("x.to(d)\n")
    assert devls("check", "--fix").status == 0


def test_a_module_that_hides_torch(devls: Callable[..., Ran]) -> None:
    """A file in a package, or in a folder without an `__init__.py`, hides nothing."""
    names = (
        "a.py",
        "b.py",
        "torch.py",
        "pkg/__init__.py",
        "pkg/c.py",
        "pkg/torch.py",
        "lib/d.py",
        "lib/torch/x.py",
    )
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("import os\nimport torch.nn as nn\n" if name[-4:-3] in "abcd" else "")
    for kept in ("--no-cache", "--quiet", "--quiet"):
        ran = devls("check", kept, "--output-format", "concise", ".")
        assert (ran.status, ran.out.count("\n")) == (1, 1)
        assert ran.out.startswith("a.py:2:1: error[hidden-torch] this imports a module of the project")
    assert devls("check", "--ignore", "hidden-torch").status == 0
    devls("check", "--shard", "1/2", "--output-file", "1.part")
    devls("check", "--shard", "2/2", "--output-file", "2.part")
    assert devls("merge", "1.part", "2.part", "--output-format", "concise").out == ran.out
    Path("torch.py").unlink()
    for named in (".", "pkg", "lib", "pkg/c.py"):
        assert devls("check", "--no-cache", named).status == 0


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


@pytest.mark.parametrize(
    "options",
    [
        ("--show-files",),
        ("--show-settings",),
        ("--verbose",),
        ("--statistics",),
        ("--add-ignore",),
        ("--fix",),
        ("--shard", "1/2"),
        ("--write-baseline", "sub\n::error::x\x1b/no/baseline"),
        ("--output-file", "sub\n::error::x\x1b/no/file"),
        ("--config", "no\n::error::x\x1b"),
        ("--exclude", "[z-a]\n::error::x\x1b"),
        ("--select", "no\n::error::x\x1b"),
    ],
)
def test_what_is_said_names_files_on_one_line(devls: Callable[..., Ran], options: tuple[str, ...]) -> None:
    folder = Path("sub\n::error::x\x1b")
    folder.mkdir()
    (folder / "a\n::error::x\x1b.py").write_text("x.to(d)\nlong, partly\n")
    (folder / "devls.toml").write_text("exclude = ['b\\n::error::x\\u001b.py']\n")
    ran = devls("check", "--no-cache", *options)
    said = ran.out + ran.err
    assert "error::x" in said or "--statistics" in options or "--add-ignore" in options
    assert not any(line.startswith("::") for line in said.splitlines())
    assert all(each.isprintable() for each in said.split("\n"))


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
