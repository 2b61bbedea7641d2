"""The probe answers, and survives what it is asked."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from devls.probe.client import MAX_STARTS, Probe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
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


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("import os; os.abort()", "signal 6"),
        ("import ctypes; ctypes.string_at(0)", "signal 11"),
        ("while True: pass", "timeout"),
        ("import time; time.sleep(100)", "timeout"),
        ("import os; os._exit(7)", "exit 7"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("x = bytearray(2**30)", "MemoryError"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("import torch; torch.ones(10**11)", "RuntimeError"),
        ("r = 1\nprint('x' * 10**6)", "1"),
    ],
)
def test_a_program_that_runs_wild_is_told_and_leaves_no_trace(probe: Probe, code: str, outcome: str) -> None:
    answer = probe.ask(code, wall_s=1.5 if outcome == "timeout" else 60.0)
    assert answer is not None
    assert outcome in (answer.died, answer.raised, answer.value), answer
    after = probe.ask(f"r = {code!r}")
    assert after is not None
    assert after.value == repr(code)


def test_a_program_cannot_write_to_disk(probe: Probe, tmp_path: Path) -> None:
    target = tmp_path / "written"
    answer = probe.ask(f"open({str(target)!r}, 'w').write('x' * 100000)")
    assert answer is not None
    assert answer.raised == "OSError"
    assert not target.read_text()


def test_what_one_program_changes_the_next_does_not_see(probe: Probe) -> None:
    probe.ask("import torch; torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)")
    answer = probe.ask("import torch; r = (torch.ones(1).dtype, torch.is_grad_enabled())")
    assert answer is not None
    assert answer.value == "(torch.float32, True)"


def test_without_the_stand_in_nothing_is_pretended() -> None:
    probe = Probe(sys.executable, accelerator=False)
    answer = probe.ask("import torch; r = (torch.cuda.is_available(), hasattr(torch, 'pcuda'))")
    probe.close()
    assert answer is not None
    assert answer.value.endswith("False)")


def test_a_worker_that_is_killed_is_started_again_a_few_times() -> None:
    probe = Probe(sys.executable, accelerator=False)
    for number in range(MAX_STARTS):
        answer = probe.ask(f"import os; r = (os.getppid(), {number})")
        assert answer is not None
        assert answer.value, answer
        os.kill(int(answer.value[1:].partition(",")[0]), signal.SIGKILL)
        answer = probe.ask(f"r = 'killed {number}'")
        assert answer is not None
        assert answer.died
    assert probe.ask("r = 'once more'") is None
    assert str(MAX_STARTS) in probe.problem


def test_switched_off() -> None:
    probe = Probe(None)
    assert probe.ask("r = 1") is None
    assert "off" in probe.problem


def test_no_such_python() -> None:
    probe = Probe("/no/such/python")
    assert probe.ask("r = 1") is None
    assert "/no/such/python" in probe.problem


def test_python_without_torch(tmp_path: Path) -> None:
    """A folder named torch that fails to import stands for any broken torch."""
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    starter = tmp_path / "python"
    starter.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    starter.chmod(0o755)
    probe = Probe(str(starter))
    assert probe.ask("r = 1") is None
    assert "no torch here" in probe.problem
