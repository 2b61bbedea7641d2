"""The stand-in accelerator shows every behaviour of the battery."""

from __future__ import annotations

import re

import pytest

from probe.battery import CASES, Case
from torch_programs import Outcome, Program, run_programs

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
