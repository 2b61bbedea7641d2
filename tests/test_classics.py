"""The mistakes everybody makes once are reported; the same programs, as they were meant, are not; torch agrees.

Below them are programs whose framework owns the placement or the loop (`frameworks.md`): nothing is reported of those.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Severity
from devls.text.edits import apply_edits
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


FRAMEWORKS = Path(__file__).with_name("frameworks.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## (\w+)\n\n```py\n(.*?)^```$", FRAMEWORKS, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_told_of_what_a_framework_takes_care_of(name: str, tmp_path: Path) -> None:
    found = analyze({"program.py": PROGRAMS[name]}, tmp_path)["program.py"]
    assert [f"{each.rule}: {each.message}" for each in found if each.severity is not Severity.INFO] == []


def test_there_are_six_frameworks() -> None:
    assert len(PROGRAMS) == 6


PLAIN = """
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 3)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters())
for x, y in [(torch.randn(4, 8), torch.randint(0, 3, (4,)))] * 3:
    loss = nn.functional.cross_entropy(model.net(x), y)
    loss.backward()
    optimizer.step()
"""


def test_the_same_without_a_framework_is_reported(tmp_path: Path) -> None:
    found = analyze({"plain.py": PLAIN}, tmp_path)["plain.py"]
    assert [each.rule for each in found] == ["missing-zero-grad"]
