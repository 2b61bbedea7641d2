"""The specs and the rule pages notice when the engine is wrong: see `mutants`.

Those of the sample that nobody notices stand in `SURVIVORS`, each with the reason. The rest has to be killed, but for a
few: the sample changes with the code.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutation.mutants import PACKAGE, SURVIVORS, mutants, sample

HERE = Path(__file__).parent
COUNT = 25
KILLED = 0.8
"""The share of the sample that has to be noticed, not counting those that stand in `SURVIVORS`."""


def outcome(mutant: str) -> str:
    try:
        ran = subprocess.run(
            [sys.executable, str(HERE / "run_mutant.py"), mutant],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "killed by the clock"
    return ran.stdout.strip() or f"did not run: {ran.stderr[-500:]}"


def test_planted_mistakes_are_noticed() -> None:
    wanted = [each.id for each in sample(COUNT)]
    with ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip(wanted, pool.map(outcome, wanted), strict=True))
    print(*(f"{said}: {mutant}" for mutant, said in outcomes.items()), sep="\n")
    assert not [said for said in outcomes.values() if not said.startswith(("killed", "survived"))]
    new = [mutant for mutant, said in outcomes.items() if said == "survived" and mutant not in SURVIVORS]
    counted = [mutant for mutant in wanted if mutant not in SURVIVORS]
    assert len(new) <= (1 - KILLED) * len(counted), new


def test_where_nothing_is_planted_nothing_is_noticed() -> None:
    assert outcome("") == "survived"


def test_a_mutant_that_changes_everything_is_noticed() -> None:
    mutant = next(
        each.id
        for each, _ in mutants(PACKAGE / "engine/torch/tensors/device_check.py")
        if each.function == "check" and "conflict is None" in each.what
    )
    assert outcome(mutant).startswith("killed by ")
