"""On programs made by chance, nothing the engine says contradicts what torch does.

What the engine does not know (`?`) contradicts nothing, and a program ends, for both, where torch raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from against_torch.random_programs import program
from against_torch.revealed import PRELUDE, certain, fits, shown
from checking import analyze, line_of
from devls.analysis import Severity
from torch_programs import Outcome, Program, run_programs

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 200
NAME = "program.py"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    programs = [
        Program(
            str(seed),
            {"prelude.py": PRELUDE, NAME: program(seed), "run.py": "import prelude, program\n"},
            effect="prelude.shown",
        )
        for seed in range(COUNT)
    ]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize("seed", range(COUNT))
def test_nothing_contradicts_torch(seed: int, outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    outcome, text = outcomes[str(seed)], program(seed)
    assert not outcome.died, outcome
    listing = "\n".join(f"{number:3} {line}" for number, line in enumerate(text.splitlines(), 1))
    for diagnostic in analyze({NAME: text}, tmp_path)[NAME]:
        line = line_of(text, diagnostic.range.start)
        if diagnostic.rule == "revealed-value":
            passes = [true for _, number, true in shown(outcome) if number == line]
            agrees = not passes or not certain(diagnostic.message)
            assert agrees or any(fits(diagnostic.message, true) for true in passes), (
                f"line {line}: {diagnostic.message}\ntorch: {passes}\n{listing}"
            )
        elif diagnostic.severity is Severity.ERROR:
            # The place may be the cause, above the line that raises; but something has to raise.
            assert outcome.raised, f"line {line}: {diagnostic.rule}: {diagnostic.message}\n{listing}"


def test_the_programs_ask_something(outcomes: dict[str, Outcome]) -> None:
    """Most run to their end, some raise, for several reasons, and all of them reveal."""
    raised = [outcome.raised for outcome in outcomes.values() if outcome.raised]
    assert COUNT / 10 < len(raised) < COUNT / 2
    assert len({text[:60] for text in raised}) >= 4
    assert sum(len(shown(outcome)) for outcome in outcomes.values()) > 10 * COUNT
