"""The mistakes everybody makes once are reported; the same programs, as they were meant, are not; torch agrees.

Each kind of mistake is also found in several forms, and the programs that were meant are quiet.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Severity
from devls.text.edits import apply_edits
from forms import Form, read_forms
from pages import Block, Mark, read_page
from torch_programs import Outcome, Program, run_programs

if TYPE_CHECKING:
    from devls.analysis import Diagnostic

PAGES = [read_page(path) for path in sorted((Path(__file__).parent / "classics").glob("*.md"))]
BLOCKS = [block for page in PAGES for block in page.blocks]
PAIRS = [(block, block.fixed) for block in BLOCKS if block.fixed is not None]


def _id(value: object) -> str:
    return value.id if isinstance(value, Block) else ""


def _where(files: dict[str, str], found: dict[str, list[Diagnostic]]) -> list[tuple[int, str]]:
    return sorted(
        (line_of(files[name], each.range.start), each.rule)
        for name, diagnostics in found.items()
        for each in diagnostics
    )


def test_there_are_forty_two() -> None:
    assert len(PAIRS) == len(BLOCKS) == 42


@pytest.mark.parametrize(("broken", "meant"), PAIRS, ids=_id)
def test_reported_and_quiet_when_fixed(broken: Block, meant: Block, tmp_path: Path) -> None:
    found = analyze(broken.files, tmp_path)
    assert _where(broken.files, found) == sorted((each.line, each.rule) for each in broken.marks)
    if not meant.by_hand:
        edits = [edit for each in found[broken.main] for fix in each.fixes[:1] for edit in fix.edits]
        assert apply_edits(broken.files[broken.main], edits) == meant.files[meant.main]
    assert _where(meant.files, analyze(meant.files, tmp_path)) == []


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for accelerator in (False, True):
        programs = [
            Program(each.id, each.files, each.torch.run, each.torch.effect)
            for pair in PAIRS
            for each in pair
            if each.torch.accelerator == accelerator and not each.torch.not_run
        ]
        found |= run_programs(programs, accelerator=accelerator)
    return found


RUN = [(block, block.marks) for pair in PAIRS for block in pair if not block.torch.not_run]


@pytest.mark.parametrize(("block", "marks"), RUN, ids=_id)
def test_torch_agrees(block: Block, marks: tuple[Mark, ...], outcomes: dict[str, Outcome]) -> None:
    outcome, torch = outcomes[block.id], block.torch
    assert not outcome.died, outcome
    if torch.raises:
        kind, _, text = torch.raises.partition(": ")
        raised_kind, _, raised_text = outcome.raised.partition(": ")
        assert raised_kind in kind.split("|"), outcome
        assert text in raised_text, outcome
        assert outcome.line >= min(mark.line for mark in marks)
    else:
        assert not outcome.raised, outcome
    if torch.warns:
        assert any(torch.warns in each for each in outcome.warned), outcome
    if torch.effect:
        assert outcome.effect == "True", outcome


FORMS = read_forms()


def findings(code: str, folder: Path) -> list[Diagnostic]:
    return analyze({"example.py": code}, folder)["example.py"]


def lines_of(code: str, found: Diagnostic) -> set[int]:
    """The lines that a finding touches, with those of its related places."""
    first, last = line_of(code, found.range.start), line_of(code, found.range.end)
    return {*range(first, last + 1), *(line_of(code, each.range.start) for each in found.related)}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.pitfall}-{form.id}")
def test_found_and_quiet_when_meant(form: Form, tmp_path: Path) -> None:
    found = findings(form.broken, tmp_path)
    seen = any(lines_of(form.broken, each) & form.lines for each in found)
    assert seen is not form.missed, [each.message for each in found]
    kinds = {each.rule for each in found}
    loud = [
        each
        for each in findings(form.meant, tmp_path)
        if each.severity is not Severity.INFO or each.rule in kinds
    ]
    assert not loud, [each.message for each in loud]


def test_each_kind_has_several_forms() -> None:
    counts = Counter(form.pitfall for form in FORMS)
    assert min(counts.values()) >= 2, counts
