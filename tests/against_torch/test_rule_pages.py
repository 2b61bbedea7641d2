"""Torch agrees with every rule page: what it calls broken breaks, what it calls fine runs."""

from __future__ import annotations

import pytest

from pages import Block, all_pages
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
