"""On programs made by chance, nothing the engine says contradicts what torch does.

An unknown value of the engine (`?`) contradicts nothing. `scripts/fuzz.py` does the same with many more programs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from against_torch import scene_programs, wide_programs
from against_torch.comparing import Figures, Run, contradictions, listing, run_on_torch
from against_torch.random_programs import program

COUNT = 400
WIDE = 100
SCENES = 100
GRADIENTS = 100


@pytest.fixture(scope="module")
def programs() -> dict[str, str]:
    return {str(seed): program(seed) for seed in range(COUNT)}


@pytest.fixture(scope="module")
def runs(programs: dict[str, str]) -> dict[str, list[Run]]:
    return run_on_torch(programs)


def test_nothing_contradicts_torch(programs: dict[str, str], runs: dict[str, list[Run]]) -> None:
    figures = Figures()
    for seed, text in programs.items():
        found = list(contradictions(text, runs[seed], figures))
        assert not found, "\n".join([f"program {seed}:", *found, listing(text)])
    # The engine has something to say, and says it of errors too.
    for name in ("device", "requires_grad", "is_leaf"):
        assert figures.opinions[name] > 0.95 * figures.values, (name, figures)
    assert sum(figures.reported.values()) > 0.9 * sum(figures.raised.values()), (
        figures.raised - figures.reported
    )


def test_nothing_contradicts_torch_in_the_other_style() -> None:
    """Many operations, many ways to organise code; short, as most of what they do is done once."""
    made = {str(seed): wide_programs.program(seed, length=6) for seed in range(WIDE)}
    outcomes = run_on_torch(made)
    figures = Figures()
    for seed, text in made.items():
        found = list(contradictions(text, outcomes[seed], figures))
        assert not found, "\n".join([f"program {seed}:", *found, listing(text)])
    for name in ("device", "requires_grad", "is_leaf"):
        assert figures.opinions[name] > 0.9 * figures.values, (name, figures)
    assert figures.clean > WIDE / 2


def test_nothing_contradicts_torch_in_scenes() -> None:
    """Objects, containers, aliases, training, hooks: as people put programs together."""
    made = {str(seed): scene_programs.program(seed) for seed in range(SCENES)}
    outcomes = run_on_torch(made)
    figures = Figures()
    for seed, text in made.items():
        found = list(contradictions(text, outcomes[seed], figures))
        assert not found, "\n".join([f"program {seed}:", *found, listing(text)])
    for name in ("device", "requires_grad", "is_leaf"):
        assert figures.opinions[name] > 0.9 * figures.values, (name, figures)
    assert figures.clean > SCENES / 2


def test_the_programs_ask_something(runs: dict[str, list[Run]]) -> None:
    """Most run to their end, some raise, for several reasons, and all of them reveal."""
    first = [each[0] for each in runs.values()]
    raised = [run for run in first if run.kind not in ("", "other")]
    assert COUNT / 20 < len(raised) < COUNT / 3
    assert len({run.kind for run in raised}) >= 4
    assert sum(run.kind == "other" for run in first) < COUNT / 5, (
        "programs that torch refuses for what nobody asks"
    )
    assert sum(len(run.shown) for run in first) > 8 * COUNT


def test_the_ledger_of_gradients_agrees_with_torch(tmp_path: Path) -> None:
    """Of each backward: which parameters it gives gradients to."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
    import fuzz_gradients  # noqa: PLC0415  found there

    figures = fuzz_gradients.Figures()
    for seed in range(GRADIENTS):
        fuzz_gradients.compare(seed, tmp_path, figures)
    assert not figures.wrong
    assert figures.opinions > 0.9 * figures.asked > GRADIENTS
