"""Torch agrees with every rule page, form and spec: what is called broken breaks, what is called fine runs."""

from __future__ import annotations

import pytest

from against_torch.comparing import PRELUDE, certain, fits, shown
from forms import Form, read_forms
from pages import Block, all_pages
from specs_reader import Spec, all_specs
from torch_programs import Outcome, Program, run_programs

MARKED = [block for page in all_pages() for block in page.blocks]
BLOCKS = MARKED + [block.fixed for block in MARKED if block.fixed is not None]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for accelerator in (False, True):
        programs = [
            Program(block.id, block.files, block.torch.run, block.torch.effect)
            for block in BLOCKS
            if block.torch.accelerator == accelerator and not block.torch.not_run
        ]
        found |= run_programs(programs, accelerator=accelerator)
    return found


@pytest.mark.parametrize("block", [b for b in BLOCKS if not b.torch.not_run], ids=lambda block: block.id)
def test_block_on_torch(block: Block, outcomes: dict[str, Outcome]) -> None:
    outcome, torch = outcomes[block.id], block.torch
    assert not outcome.died, outcome
    if torch.raises:
        kind, _, text = torch.raises.partition(": ")
        raised_kind, _, raised_text = outcome.raised.partition(": ")
        assert raised_kind in kind.split("|"), outcome
        assert text in raised_text, outcome
        # Not some other line of the example, above the one it is about; in a loop that may be the next time round.
        first = min((mark.line for mark in block.marks if mark.file == outcome.file), default=0)
        assert outcome.line >= first or "\nfor " in block.files[block.main], outcome
    else:
        assert not outcome.raised, outcome
    if torch.effect:
        assert outcome.effect == "True", outcome
    if torch.warns:
        assert any(torch.warns in warning for warning in outcome.warned), outcome


def test_few_examples_are_not_run() -> None:
    skipped = [block for block in BLOCKS if block.torch.not_run]
    assert len(skipped) * 10 <= len(BLOCKS), [block.id for block in skipped]


FORMS = [form for form in read_forms() if not form.torch.not_run]


@pytest.fixture(scope="module")
def of_forms() -> dict[str, Outcome]:
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
def test_torch_agrees(form: Form, of_forms: dict[str, Outcome]) -> None:
    torch, broken = form.torch, of_forms[f"{form.id} broken"]
    assert not broken.died, broken
    assert torch.raises in broken.raised if torch.raises else not broken.raised, broken
    if torch.warns:
        assert any(torch.warns in each for each in broken.warned), broken
    if torch.effect:
        assert broken.effect == "True", broken
    if torch.meant_not_run:
        return
    meant = of_forms[f"{form.id} meant"]
    assert not meant.died, meant
    if torch.warns:
        assert not any(torch.warns in each for each in meant.warned), meant
    if torch.effect not in ("", "True"):
        assert meant.effect != "True", meant
    assert not meant.raised, meant


def test_few_are_not_run() -> None:
    assert len(FORMS) * 10 >= len(read_forms()) * 9


SPECS = [spec for spec in all_specs() if not spec.not_run]


@pytest.fixture(scope="module")
def of_specs() -> dict[str, Outcome]:
    # The last file runs: one more, which imports the spec as it stands, so that line numbers stay.
    programs = [
        Program(
            spec.id,
            {**spec.files, "prelude.py": PRELUDE, "run_spec.py": f"import prelude, {spec.module}\n"},
            effect="prelude.shown",
        )
        for spec in SPECS
    ]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_spec_on_torch(spec: Spec, of_specs: dict[str, Outcome]) -> None:
    outcome = of_specs[spec.id]
    assert not outcome.died, outcome
    for name, line, believed in spec.revealed:
        passes = [true for file, number, true in shown(outcome) if (file, number) == (name, line)]
        if certain(believed) and passes:
            assert any(fits(believed, true) for true in passes), (line, believed, passes)


@pytest.mark.parametrize(
    ("believed", "agrees"),
    [
        ("Tensor device=cuda:0 requires_grad=? is_leaf=False shape=(?, 3) dtype=float32", True),
        ("Tensor device=cuda requires_grad=True", True),
        ("Tensor device=? shape=?", True),
        ("Parameter device=cuda:0", False),
        ("Tensor device=cpu", False),
        ("Tensor device=cuda:0 requires_grad=False", False),
        ("Tensor device=cuda:0 shape=(2, 4)", False),
        ("Tensor device=cuda:0 shape=(?, 3, 1)", False),
        ("Tensor device=cuda:0 dtype=int64", False),
    ],
)
def test_what_fits(believed: str, agrees: bool) -> None:
    true = {
        "kind": "Tensor",
        "device": "cuda:0",
        "requires_grad": "True",
        "is_leaf": "False",
        "shape": "(2, 3)",
        "dtype": "float32",
    }
    assert fits(believed, true) is agrees
