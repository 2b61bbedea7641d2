"""The stand-in accelerator shows every behaviour of the battery, and is compared with a real one as far as that goes here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from probe.battery import CASES, Case
from torch_programs import Outcome, Program, run_programs

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import compare_accelerator as compare  # noqa: E402  found by the path above

HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\n"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    programs = [Program(case.name, {"case.py": HEAD + case.code}, effect="r") for case in CASES]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_behaviour(case: Case, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[case.name]
    assert not outcome.died, outcome
    if case.raises:
        kind, _, text = outcome.raised.partition(": ")
        assert kind == case.raises, outcome
        assert re.search(case.pattern, text), outcome
    else:
        assert not outcome.raised, outcome
        assert outcome.effect == repr(case.value), outcome


def test_the_stand_in_is_what_makes_them_so() -> None:
    """Without it the same code must not pass: the battery really asks about a second device."""
    program = Program("mixed", {"case.py": HEAD + 'r = torch.ones(2, device="cuda") + torch.ones(2)'})
    outcome = run_programs([program], accelerator=False)["mixed"]
    assert "same device" not in outcome.raised, outcome


def test_programs_share_no_folder_for_temporary_files() -> None:
    code = "import os, tempfile; r = os.listdir(tempfile.gettempdir()); open(tempfile.gettempdir() + '/left', 'w').close()"
    ran = run_programs([Program(each, {"a.py": code}, effect="r") for each in "ab"], accelerator=False)
    assert [each.effect for each in ran.values()] == ["['a.py']", "['a.py']"]


# The comparison of the stand-in with a real accelerator, as far as it goes without one


def test_without_a_card_it_says_so(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 0\n")
    python.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, str(SCRIPTS / "compare_accelerator.py"), "--python", str(python)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert "no CUDA device" in ran.stdout


def test_both_sides_tell_what_happened() -> None:
    code = compare.HEAD + "r = torch.ones(2) + torch.ones(2, device='cuda')"
    assert compare.on_stand_in(sys.executable, code)[0] == "raises"
    assert compare.on_card(sys.executable, "r = 1") == ["gives", "1"]
    assert compare.on_card(sys.executable, "import os; os.abort()")[0] == "died"
    assert len(compare.programs()) > 150


def test_what_differs_from_run_to_run_does_not_count() -> None:
    one = compare.plain(["raises", "E: at 0x7f12\n  here\nCUDA kernel errors might be"])
    assert one == compare.plain(["raises", "E: at 0x99  here"])
    assert one != compare.plain(["gives", "E: at 0x99  here"])
