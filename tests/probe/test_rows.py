"""Every claim has a fact that torch runs, and the engine answers, or a page or a test that speaks of it."""

from __future__ import annotations

import re
from pathlib import Path

from probe.test_facts import FACTS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (HERE / "rows.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [AB]\d", line)
]
NUMBERS = {"A": range(1, 35), "B": [*range(1, 55), *range(60, 115)]}
LETTERED = ("B28b", "B28c", "B36b", "B36c", "B103b")
"""Numbers that stand in two parts."""


def test_no_row_is_missing() -> None:
    expected = [f"{part}{number}" for part, numbers in NUMBERS.items() for number in numbers]
    assert sorted(row[0] for row in ROWS) == sorted((*expected, *LETTERED))


def test_what_is_named_is_there() -> None:
    names = {fact.name for fact in FACTS}
    for row, claim, held in ROWS:
        assert claim
        left = held
        for name in sorted(names, key=len, reverse=True):  # a name may have a semicolon of its own
            left = re.sub(rf"(^|; ){re.escape(name)}(?=; |$)", r"\1", left)
        for each in filter(None, (part.strip() for part in left.split(";"))):
            kind, _, path = each.partition(":")
            assert kind in ("page", "test"), (row, each)
            assert (ROOT / path).exists(), (row, each)


def test_most_facts_are_claimed() -> None:
    """What no row speaks of is a fact all the same, but the table is about most of them."""
    held = "; ".join(row[2] for row in ROWS)
    assert sum(fact.name in held for fact in FACTS) > 0.7 * len(FACTS)
