"""Torch agrees: the programs with a mistake show what is said of them, the programs that were meant do not."""

from __future__ import annotations

import pytest

from forms import Form, read_forms
from torch_programs import Outcome, Program, run_programs

FORMS = [form for form in read_forms() if not form.torch.not_run]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for accelerator in (False, True):
        programs = [
            Program(f"{form.id} {which}", {"example.py": code}, form.torch.run, form.torch.effect)
            for form in FORMS
            if form.torch.accelerator == accelerator
            for which, code in (("broken", form.broken), ("meant", form.meant))
            if which == "broken" or not form.torch.meant_not_run
        ]
        found |= run_programs(programs, accelerator=accelerator)
    return found


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.pitfall}-{form.id}")
def test_torch_agrees(form: Form, outcomes: dict[str, Outcome]) -> None:
    torch, broken = form.torch, outcomes[f"{form.id} broken"]
    assert not broken.died, broken
    assert torch.raises in broken.raised if torch.raises else not broken.raised, broken
    if torch.warns:
        assert any(torch.warns in each for each in broken.warned), broken
    if torch.effect:
        assert broken.effect == "True", broken
    if torch.meant_not_run:
        return
    meant = outcomes[f"{form.id} meant"]
    assert not meant.died, meant
    if torch.warns:
        assert not any(torch.warns in each for each in meant.warned), meant
    if torch.effect not in ("", "True"):
        assert meant.effect != "True", meant
    assert not meant.raised, meant


def test_few_are_not_run() -> None:
    assert len(FORMS) * 10 >= len(read_forms()) * 9
