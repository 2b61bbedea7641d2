"""`--jobs`: several processes find what one finds, and say it in the same order."""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake import FakeAnalyzer

import devls as package
from devls.analysis import Analyzer
from devls.cli import parallel
from devls.cli.arguments import parse
from devls.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran
    from devls.analysis import Analysis

NET = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n\n    def forward(self, x):\n        return self.layer(x)\n"
MAIN = 'import torch\nfrom net import Net\n\nmodel = Net().to("cuda")\nout = model(torch.ones({n}, 2))\nx = torch.zeros({n})\nx.to("cuda")\n'


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """However little there is to do, processes are started; the files that they analyzed are counted."""
    monkeypatch.setattr(parallel, "MIN_BYTES", 0)
    counts: list[int] = []
    outcomes = parallel.Pool.outcomes

    def counted(self: parallel.Pool, paths: list[str]) -> list[parallel.Outcome]:
        found = list(outcomes(self, paths))
        counts.append(len(found))
        return found

    monkeypatch.setattr(parallel.Pool, "outcomes", counted)
    return counts


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that use one module, and so find things in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEVLS_CACHE_DIR", str(tmp_path / "cache"))
    Path("net.py").write_text(NET)
    for number in range(1, 8):
        Path(f"main_{number}.py").write_text(MAIN.format(n=number))
    Path("half.py").write_text("x = (\n" + MAIN.format(n=9))
    Path("binary.py").write_bytes(b"\0")


@pytest.fixture
def checked(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*argv: str) -> tuple[int, str, str]:
        status = run(parse(["check", "--output-format", "json", *argv]))
        return status, *capsys.readouterr()

    return call


@pytest.mark.usefixtures("program")
def test_the_same_is_found(checked: Callable[..., tuple[int, str, str]], several: list[int]) -> None:
    alone = checked("--jobs", "1", "--no-cache")
    assert several == []
    assert {each["filename"] for each in json.loads(alone[1])} > {
        "net.py",
        "main_7.py",
        "half.py",
        "binary.py",
    }
    assert checked("--jobs", "2", "--no-cache") == alone
    assert checked("-j", "3", "--no-cache") == alone
    assert several == [10, 10]


@pytest.mark.usefixtures("program")
def test_what_processes_found_is_kept(
    checked: Callable[..., tuple[int, str, str]], several: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = checked("--jobs", "2")
    analyzed = []
    analyze = Analyzer.analyze

    def noted(self: Analyzer, path: str, **given: object) -> Analysis:
        analyzed.append(Path(path).name)
        return analyze(self, path, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Analyzer, "analyze", noted)
    assert checked("--jobs", "1") == first
    assert sorted(analyzed) == ["binary.py", "half.py"]  # what is complained of is never kept
    Path("net.py").write_text(NET.replace("2, 2", "3, 3"))
    assert checked("--jobs", "2")[0] == 1
    assert several == [10, 10]


@pytest.mark.usefixtures("several")
def test_complaints_come_in_order(devls: Callable[..., Ran]) -> None:
    for number in range(6):
        Path(f"{number}.py").write_text("crash\n" if number % 2 else "bad\nx.to(d)\n")
    alone = devls("check", "-j", "1")
    assert alone.status == 2
    assert alone.err.count("devls itself failed: ZeroDivisionError") == 3
    several = devls("check", "-j", "3")
    assert (several.status, several.out, several.err) == (alone.status, alone.out, alone.err)


@pytest.mark.usefixtures("several")
def test_fixes_are_the_same(devls: Callable[..., Ran]) -> None:
    for number in range(4):
        Path(f"{number}.py").write_text("x.to(d)\nchain\nbad\n")
    ran = devls("check", "-j", "2", "--fix", "--output-format", "concise")
    assert ran.out.count("\n") == 4
    assert {Path(f"{number}.py").read_text() for number in range(4)} == {"x = x.to(d)\ngood\nbad\n"}


class Dying(FakeAnalyzer):
    """Ends each process that analyzes for another."""

    def analyze(self, path: str, **given: object) -> Analysis:
        if parallel._checks:
            os._exit(9)
        return super().analyze(path, **given)  # type: ignore[arg-type]


@pytest.mark.usefixtures("several")
def test_what_a_process_leaves_undone_is_done_here(devls: Callable[..., Ran]) -> None:
    for number in range(4):
        Path(f"{number}.py").write_text("bad\n")
    alone = devls("check", "--no-cache", "-j", "1")
    ran = devls("check", "--no-cache", "-j", "2", analyzer=Dying)
    assert (ran.status, ran.out, ran.err) == (alone.status, alone.out, alone.err)


def test_little_is_done_in_one_process(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", None)
    Path("a.py").write_text("bad\n")
    Path("b.py").write_text("bad\n")
    assert devls("check", "-j", "2").out.count("error[") == 2


@pytest.mark.usefixtures("several")
def test_where_no_process_can_be_started_all_is_done_here(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        Path(f"{number}.py").write_text("bad\n")
    alone = devls("check", "--no-cache", "-j", "1")

    def refused(*_: object, **__: object) -> None:
        raise OSError(27, "File too large")

    monkeypatch.setattr(multiprocessing.get_context("fork"), "Lock", refused)
    ran = devls("check", "--no-cache", "-j", "2")
    assert (ran.status, ran.out, ran.err) == (alone.status, alone.out, alone.err)


@pytest.mark.usefixtures("several")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_that_was_started_before_none_could_be_is_ended(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        Path(f"{number}.py").write_text("bad\n")
    alone = devls("check", "--no-cache", "-j", "1")
    started: list[int] = []
    fork = os.fork

    def once() -> int:
        if started:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(fork())
        return started[0]

    monkeypatch.setattr(os, "fork", once)
    ran = devls("check", "--no-cache", "-j", "2")
    assert (ran.status, ran.out, ran.err) == (alone.status, alone.out, alone.err)
    assert multiprocessing.active_children() == []
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


WAITING = """
import os, signal, sys
from pathlib import Path
from fake import FakeAnalyzer
from devls.cli import parallel
from devls.cli.arguments import parse
from devls.cli.main import run

parallel.MIN_BYTES = 0


class Waiting(FakeAnalyzer):
    def analyze(self, path, **given):
        os.write(int(sys.argv[1]), b"!")
        signal.pause()


run(parse(["check", "--no-cache", "-j", "2"]), Waiting)
"""


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="nothing waits for a signal here")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    for number in range(4):
        Path(tmp_path, f"{number}.py").write_text("bad\n")
    reading, writing = os.pipe()
    places = os.pathsep.join(str(Path(each).parent) for each in (__file__, Path(package.__file__).parent))
    first = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(writing)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": places},
        pass_fds=(writing,),
    )
    os.close(writing)
    try:
        assert os.read(reading, 1) + os.read(reading, 1) == b"!!"
        first.kill()
        first.wait()
        ended, _, _ = select.select([reading], [], [], 60)
        assert ended, "a process holds the pipe"
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "1000"])
def test_a_number_of_processes_that_cannot_be(devls: Callable[..., Ran], jobs: str) -> None:
    ran = devls("check", f"--jobs={jobs}")
    assert ran.status == 2
    assert "has to be a number from 1 to 256" in ran.err


def test_a_process_keeps_to_its_stretch_and_then_helps() -> None:
    """Files that lie side by side import the same modules, which only one process has to run."""
    parts = [[str(number)] for number in range(8)]
    queues = parallel._Queues(parts, 2)
    taken = [queues.next(number) for number in (0, 1, 0, 1, 1, 1, 1, 0, 0)]
    assert [each[0] for each in taken if each] == ["0", "4", "1", "5", "6", "7", "3", "2"]
    assert taken[-1] == []
    assert parallel._parts({"a": 1, "b": 9, "c": 1, "d": 1}, 3) == [["a", "b"], ["c", "d"]]
