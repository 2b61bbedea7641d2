"""What the interpreter believes of tensors is what torch makes of the same program.

Every spec that can run is run, with a `reveal_value` that tells the truth. A line that is passed several times, and a
spec that stops with an error, are compared as far as they get: each revealed text has to fit one of the passes.
"""

from __future__ import annotations

import pytest

from against_torch.comparing import PRELUDE, certain, fits, shown
from specs_reader import Spec, all_specs
from torch_programs import Outcome, Program, run_programs

SPECS = [spec for spec in all_specs() if not spec.not_run]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
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
def test_spec_on_torch(spec: Spec, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[spec.id]
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
