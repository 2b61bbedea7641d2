"""The probe answers, and survives what it is asked."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from devls.probe import client
from devls.probe.client import FIRST_PAUSE_S, Probe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINUX_ONLY = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="memory is limited on Linux only"
)
NEEDS_LANDLOCK = pytest.mark.skipif(
    not sys.platform.startswith("linux") or ctypes.CDLL(None).syscall(444, None, 0, 1) < 1,
    reason="torch's C++ opens files without asking Python, and this system has no Landlock to refuse it",
)


@pytest.fixture(scope="module", params=["fork", "no fork"])
def probe(request: pytest.FixtureRequest) -> Iterator[Probe]:
    made = Probe(sys.executable, fork=request.param == "fork")
    yield made
    made.close()


@pytest.fixture(
    scope="module",
    params=[(True, False), (True, True), (False, False)],
    ids=["fork", "fork, accelerator", "no fork"],
)
def way(request: pytest.FixtureRequest) -> Iterator[tuple[Probe, bool]]:
    """A probe, and whether it is asked about an accelerator; without fork the two do not differ but in what they import."""
    fork, accelerator = request.param
    made = Probe(sys.executable, fork=fork)
    yield made, accelerator
    made.close()


@pytest.fixture(scope="module")
def forking() -> Iterator[Probe]:
    made = Probe(sys.executable)
    yield made
    made.close()


def test_values_and_errors(probe: Probe) -> None:
    answer = probe.ask("import torch; r = str(torch.ones(2, device='cuda').device)")
    assert answer is not None
    assert answer.value == "'cuda:0'"
    assert probe.torch
    answer = probe.ask("import torch; torch.ones(2, device='cuda') + torch.ones(2)")
    assert answer is not None
    assert answer.raised == "RuntimeError"
    assert "same device" in answer.text
    assert answer.said.startswith("RuntimeError: Expected all tensors")


def test_facts_about_the_cpu_come_from_a_torch_that_pretends_nothing(probe: Probe) -> None:
    probe.ask("import torch; r = torch.ones(2, device='cuda')")
    answer = probe.ask(
        "import torch; r = (torch.cuda.is_available(), hasattr(torch, 'pcuda'))", accelerator=False
    )
    assert answer is not None
    assert answer.value == "(False, False)"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("import os; os.abort()", "signal 6"),
        ("import ctypes; ctypes.string_at(0)", "signal 11"),
        ("while True: pass", "timeout"),
        ("import time; time.sleep(100)", "timeout"),
        ("import os; os._exit(7)", "exit 7"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("r = 1\nprint('x' * 10**6)", "1"),
        (
            "import os, sys\nfor _ in range(50): os.write(1, b'x' * 10**6), os.write(2, b'x' * 10**6)\nr = 1",
            "1",
        ),
    ],
)
def test_a_program_that_runs_wild_is_told_and_leaves_no_trace(
    way: tuple[Probe, bool], code: str, outcome: str
) -> None:
    probe, accelerator = way
    wall_s = 1.5 if outcome == "timeout" else 60.0
    answer = probe.ask(code, wall_s=wall_s, accelerator=accelerator)
    assert answer is not None
    without_fork = ("the worker died or hung",) if answer.died else ()
    assert outcome in (answer.died, answer.raised, answer.value) or answer.died in without_fork, answer
    after = probe.ask(f"r = {code!r}", accelerator=accelerator)
    assert after is not None
    assert after.value == repr(code)


@LINUX_ONLY
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("x = bytearray(2**30)", "MemoryError"),
        ("x = []\nwhile True: x.append(bytearray(2**20))", "MemoryError"),
        ("import torch; torch.ones(10**11)", "RuntimeError"),
        ("r = 'x' * 2**29 + 'y' * 2**29", "MemoryError"),
    ],
)
def test_a_memory_bomb_does_not_go_off(forking: Probe, code: str, outcome: str) -> None:
    answer = forking.ask(code, wall_s=60.0)
    assert answer is not None
    assert answer.raised == outcome, answer


def test_a_flood_into_the_answer_is_cut_off(forking: Probe) -> None:
    code = "import os\nfor descriptor in range(3, 64):\n    try:\n        while True: os.write(descriptor, b'x' * 10**5)\n    except OSError: pass"
    answer = forking.ask(code, wall_s=60.0)
    assert answer is not None
    assert answer.died == "a flood of output"
    answer = forking.ask("import os; os.write(3, b'{\"id\": ')")
    assert answer is not None
    assert answer.died == "exit 0"
    assert forking.ask("r = 'after'") is not None


@pytest.mark.parametrize(
    "code",
    [
        "open({mark!r}, 'w').write('x')",
        "open({mark!r}, 'x')",
        "import os; os.close(os.open({mark!r}, os.O_CREAT | os.O_WRONLY))",
        "import os; os.mkdir({mark!r})",
        "import os; os.symlink('/', {mark!r})",
        "import os; os.remove({kept!r})",
        "import os; os.rename({kept!r}, {mark!r})",
        "import shutil; shutil.copy({kept!r}, {mark!r})",
        "import pathlib; pathlib.Path({kept!r}).unlink()",
        "import os; os.system('touch ' + {mark!r})",
        "import subprocess; subprocess.run(['touch', {mark!r}])",
        "import os; os.posix_spawn('/bin/touch', ['touch', {mark!r}], {{}})",
        "import os; os.execv('/bin/touch', ['touch', {mark!r}])",
        "import os; os.fork()",
        "import os; os.kill(os.getppid(), 9)",
        "import socket; socket.create_connection(('127.0.0.1', {port}), 5)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}/', timeout=5)",
        pytest.param("import torch; torch.save({{}}, {mark!r})", marks=NEEDS_LANDLOCK),
    ],
)
def test_a_program_writes_nothing_and_reaches_nobody(
    way: tuple[Probe, bool], tmp_path: Path, code: str
) -> None:
    probe, accelerator = way
    kept, mark = tmp_path / "kept", tmp_path / "mark"
    kept.write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        program = code.format(kept=str(kept), mark=str(mark), port=server.getsockname()[1])
        answer = probe.ask(program, wall_s=20.0, accelerator=accelerator)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert answer is not None
    assert answer.raised or answer.died, answer
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


def test_what_one_program_changes_the_next_does_not_see(probe: Probe) -> None:
    probe.ask("import torch; torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)")
    answer = probe.ask("import torch; r = (torch.ones(1).dtype, torch.is_grad_enabled())")
    assert answer is not None
    assert answer.value == "(torch.float32, True)"


def test_a_worker_that_dies_is_started_again_after_a_pause_that_grows() -> None:
    now = [0.0]
    probe = Probe(sys.executable, clock=lambda: now[0])

    def kill(number: int) -> None:
        answer = probe.ask(f"import os; r = (os.getppid(), {number})", accelerator=False)
        assert answer is not None
        assert answer.value, answer
        os.kill(int(answer.value[1:].partition(",")[0]), signal.SIGKILL)
        answer = probe.ask(f"r = 'killed {number}'", accelerator=False)
        assert answer is not None
        assert answer.died

    kill(1)
    kill(2)  # it was started again at once, and has answered in between
    # One that dies without ever answering is left alone for a while.
    probe.python = "/bin/true"
    for pause in (FIRST_PAUSE_S, 2 * FIRST_PAUSE_S):
        assert probe.ask("r = 3", accelerator=False) is None
        assert "is tried again" in probe.problem
        now[0] += pause - 0.1
        assert probe.problem
        now[0] += 0.2
        assert not probe.problem
    probe.python = sys.executable
    answer = probe.ask("r = 4", accelerator=False)
    probe.close()
    assert answer is not None
    assert answer.value == "4"


def test_the_child_with_the_accelerator_is_replaced_when_it_dies(forking: Probe) -> None:
    answer = forking.ask("import os; r = os.getppid()")
    assert answer is not None
    os.kill(int(answer.value), signal.SIGKILL)
    first, second = (
        forking.ask("r = 'first'"),
        forking.ask("import torch; r = torch.ones((), device='cuda').item()"),
    )
    assert first is not None
    assert first.died
    assert second is not None
    assert second.value == "1.0"


def test_answers_are_remembered_but_not_for_ever(forking: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "REMEMBERED", 2)
    first = forking.ask("import os; r = os.getpid()", accelerator=False)
    assert forking.ask("import os; r = os.getpid()", accelerator=False) is first
    forking.ask("r = 1", accelerator=False)
    forking.ask("r = 2", accelerator=False)
    assert forking.ask("import os; r = os.getpid()", accelerator=False) != first


def test_a_closed_probe_starts_again_when_it_is_asked(forking: Probe) -> None:
    forking.ask("r = 'before'")
    forking.close()
    assert not forking.runs
    assert forking.ask("r = 'before'") is not None  # remembered: nothing is started for it
    assert not forking.runs
    answer = forking.ask("r = 'after closing'")
    assert answer is not None
    assert answer.value == "'after closing'"


def test_the_worker_ends_with_whoever_asked() -> None:
    """Nothing is left behind when the client dies without a word."""
    code = (
        "import os, sys; from devls.probe.client import Probe; p = Probe(sys.executable);"
        "print(p.ask('import os; r = os.getppid()', accelerator=False).value, flush=True); p.ask('r = 1'); os._exit(1)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    gone = threading.Event()
    pid = int(ran.stdout)

    def wait() -> None:
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
        gone.set()

    threading.Thread(target=wait, daemon=True).start()
    assert gone.wait(30.0)


def test_switched_off() -> None:
    probe = Probe(None)
    assert probe.ask("r = 1") is None
    assert "off" in probe.problem


def test_no_such_python() -> None:
    probe = Probe("/no/such/python")
    assert probe.ask("r = 1") is None
    assert "/no/such/python" in probe.problem


@pytest.mark.parametrize(
    ("torch", "why"),
    [
        (None, "No module named 'torch'"),
        ("raise ImportError('libc10.so: cannot open shared object file')", "libc10.so"),
        ("import sys; sys.exit(1)", "SystemExit"),
        ("__version__ = '2.4.0'", "AttributeError"),
    ],
)
def test_no_torch_and_broken_ones(tmp_path: Path, torch: str | None, why: str) -> None:
    folder = tmp_path / "packages"
    folder.mkdir()
    if torch is not None:
        (folder / "torch.py").write_text(torch)
    starter = tmp_path / "python"
    # In place of -E, which is the first option: nothing but this folder.
    starter.write_text(f'#!/bin/sh\nshift\nPYTHONPATH={folder} exec {sys.executable} -S "$@"\n')
    starter.chmod(0o755)
    probe = Probe(str(starter))
    assert probe.ask("r = 1") is None
    assert why in probe.problem
    assert probe.ask("r = 2") is None


def test_a_torch_that_crashes_at_import_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("import os; os.abort()")
    starter = tmp_path / "python"
    starter.write_text(f'#!/bin/sh\nshift\nPYTHONPATH={tmp_path} exec {sys.executable} -S "$@"\n')
    starter.chmod(0o755)
    probe = Probe(str(starter))
    assert probe.ask("r = 1") is None
    assert probe.ask("r = 1") is None
    assert "died" in probe.problem


def test_a_torch_too_old_to_pretend_with_still_answers_about_the_cpu(tmp_path: Path) -> None:
    """Names that torch 2.4 lacks are taken away from this one."""
    starter = tmp_path / "python"
    (tmp_path / "start.py").write_text(
        "import sys, runpy\n"
        "import torch.utils.backend_registration as b\n"
        "vars(b).pop('_setup_privateuseone_for_python_backend', None)\n"
        "sys.argv = sys.argv[1:]\n"
        "sys.path.insert(0, '')\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    starter.write_text(
        f'#!/bin/sh\nwhile [ "${{1#-}}" != "$1" ] || [ "$1" = utf8 ]; do shift; done\nexec {sys.executable} -E {tmp_path / "start.py"} "$@"\n'
    )
    starter.chmod(0o755)
    for fork in (True, False):
        probe = Probe(str(starter), fork=fork)
        plain = probe.ask("import torch; r = torch.ones(2).sum().item()", accelerator=False)
        assert plain is not None, probe.problem
        assert plain.value == "2.0"
        pretended = probe.ask("import torch; r = torch.ones(2, device='cuda')")
        assert pretended is not None
        assert "cannot take a device from Python" in pretended.died
        # Nothing is started again for it.
        runs = probe.runs
        assert probe.ask("r = torch.ones(5, device='cuda')") is not None
        assert probe.runs == runs
        again = probe.ask("import torch; r = torch.ones(3).sum().item()", accelerator=False)
        probe.close()
        assert again is not None
        assert again.value == "3.0"
