"""`--watch`: checked again when something changes, and only then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake import FakeAnalyzer

from devls import __main__ as entry
from devls.cli import parallel
from devls.cli.arguments import parse
from devls.cli.complaints import Complaints
from devls.cli.main import _analyzer
from devls.cli.watching import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

SERVER = Path(entry.__file__).parent.parent


@pytest.fixture
def rounds(
    devls: Callable[..., Ran], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Output of each round; the steps, one after each look at the files that finds nothing, change something."""
    del devls
    monkeypatch.setenv("DEVLS_CACHE_DIR", str(Path.cwd() / "cache"))

    def call(
        *steps: Callable[[], object],
        argv: tuple[str, ...] = (),
        analyzer: Any = FakeAnalyzer,
        apart: bool = True,
    ) -> list[str]:
        printed: list[str] = []
        waiting = [step for each in steps for step in (each, *[lambda: None] * (2 * apart))]
        waiting += [lambda: None] * 2

        def wait(seconds: float) -> None:
            assert seconds >= 0.1, "it is busy"
            said = capsys.readouterr()
            if "devls: watching" in said.err:
                printed.append(said.out)
            if not waiting:
                raise KeyboardInterrupt
            waiting.pop(0)()

        options = parse(["check", "--watch", "--output-format", "concise", *argv])
        assert watch(options, analyzer, Complaints(), wait) == 0
        return printed

    return call


def writing(name: str, text: str) -> Callable[[], object]:
    return lambda: Path(name).write_text(text)


def test_each_change_is_checked_once(rounds: Callable[..., list[str]]) -> None:
    Path("a.py").write_text("bad\n")
    Path("sub").mkdir()
    found = rounds(
        writing("a.py", "bad\n\nbad\n"),
        lambda: os.utime("sub"),  # nothing
        writing("sub/b.py", "bad\n"),
        writing("pyproject.toml", "[tool.devls]\nexclude = ['sub/']\n"),
        lambda: Path("a.py").unlink(),
    )
    places = [[line.partition(" ")[0] for line in each.splitlines()] for each in found]
    assert places == [
        ["a.py:1:1:"],
        ["a.py:1:1:", "a.py:3:1:"],
        ["a.py:1:1:", "a.py:3:1:", "sub/b.py:1:1:"],
        ["a.py:1:1:", "a.py:3:1:"],
        [],
    ]


def test_a_file_that_is_written_in_parts_is_checked_when_it_is_whole(
    rounds: Callable[..., list[str]],
) -> None:
    Path("a.py").write_text("good\n")
    parts = [writing("a.py", "b"), writing("a.py", "ba"), writing("a.py", "bad\n")]
    assert [each[:4] for each in rounds(*parts, apart=False)] == ["", "a.py"]


def test_a_change_while_it_checks_is_seen(rounds: Callable[..., list[str]]) -> None:
    Path("a.py").write_text("good\n")
    once = [writing("a.py", "bad\n")]

    class Slow(FakeAnalyzer):
        def analyze(self, path: str, **options: Any) -> Any:
            found = super().analyze(path, **options)
            if once:
                once.pop()()
            return found

    assert [each[:4] for each in rounds(lambda: None, analyzer=Slow, argv=("--no-cache",))] == [
        "",
        "a.py",
    ]


@pytest.mark.parametrize("argv", [("--no-cache",), (), ("--jobs", "2")])
def test_what_is_imported_is_watched(
    rounds: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    """Also where other processes, or earlier runs, have read it."""
    monkeypatch.setattr(parallel, "MIN_BYTES", 0)
    for name in ("train", "other"):
        Path(f"{name}.py").write_text(
            "import torch\nfrom place import where\n\nx = torch.zeros(1) + torch.ones(2, device=where)\n"
        )
    Path("place.py").write_text("where = 'cpu'\n")
    found = rounds(
        writing("place.py", "where = 'cuda'\n"), argv=(*argv, "train.py", "other.py"), analyzer=_analyzer
    )
    assert [each.count("mixed-devices") for each in found] == [0, 2]


def test_a_broken_configuration_is_waited_for(
    rounds: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text("bad\n")
    Path("devls.toml").write_text("selct = []\n")
    wrong, found = rounds(writing("devls.toml", "select = []\n"))
    assert (wrong, found.partition(" ")[0]) == ("", "a.py:1:1:")
    assert watch(parse(["check", "--watch", "--config", "nowhere"]), FakeAnalyzer, Complaints()) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_a_terminal_is_cleared_before_each_round(
    rounds: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text("bad\n")
    assert "\x1b[2J" not in rounds()[0]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert all(each.startswith("\x1b[2J") for each in rounds(writing("a.py", "bad, bad\n")))


def test_it_ends_by_an_interrupt(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with subprocess.Popen(
        ["env", "--default-signal=INT", sys.executable, "-m", "devls", "check", "--watch"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as watching:
        assert watching.stderr is not None
        assert watching.stderr.readline() == "devls: watching 1 file; Ctrl+C ends.\n"
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate()
    assert (watching.returncode, out, err) == (0, "Nothing found in 1 file.\n", "")


@pytest.mark.parametrize("other", ["--fix", "--diff", "--add-ignore", "--shard=1/2", "--show-files", "-"])
def test_it_reports_only(devls: Callable[..., Ran], other: str) -> None:
    assert devls("check", "--watch", other).status == 2
