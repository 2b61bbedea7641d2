"""The facts about torch that everything rests on are so, and each claim of `rows.md` has one, or a page or test that speaks of it."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from devls.analysis import Analyzer, Severity
from devls.config import Config
from devls.probe.client import Probe
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator


FACT = re.compile(
    r"^### (?P<name>.+)\n\n```py(?P<info>[^\n]*)\n(?P<code>.*?)^```\n\n    (?P<how>raises|gives) (?P<what>.*)$",
    re.MULTILINE | re.DOTALL,
)

PROGRAM = """\
import copy
import warnings
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
r = None
torch.manual_seed(0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
{code}
if caught:
    r = (r, [f"{{each.category.__name__}}: {{each.message}}" for each in caught])
"""


IMPORTS = "import copy, numpy as np, torch, torch.nn.functional as F\nfrom torch import nn\n"
WITHOUT_AN_EXCEPTION = frozenset({"parameter-lost-by-transfer", "grad-mode-without-effect"})
"""Mistakes that are errors although torch does not raise."""


class Fact(NamedTuple):
    name: str
    code: str
    accelerator: bool
    raises: bool
    what: str
    says: frozenset[str]


def facts() -> Iterator[Fact]:
    text = Path(__file__).with_name("facts.md").read_text(encoding="utf-8")
    for section in re.split(r"^(?=### )", text, flags=re.MULTILINE)[1:]:
        found = FACT.match(section.rstrip() + "\n")
        assert found is not None, section
        words = dict(each.split("=") for each in found["info"].split())
        assert words.keys() <= {"on", "says"}, section
        assert words.get("on", "accelerator") == "accelerator", section
        yield Fact(
            found["name"],
            found["code"],
            "on" in words,
            found["how"] == "raises",
            found["what"].rstrip(),
            frozenset(words.get("says", "").split(",")) - {""},
        )


FACTS = list(facts())


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    made = Probe(sys.executable)
    yield made
    made.close()


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_fact(fact: Fact, probe: Probe) -> None:
    program = PROGRAM.format(code=textwrap.indent(fact.code, "    "))
    answer = probe.ask(program, accelerator=fact.accelerator, wall_s=60.0)
    assert answer is not None, probe.problem
    assert not answer.died, answer
    assert bool(answer.raised) == fact.raises, answer
    said = " ".join(answer.said.split())
    if fact.what.endswith("..."):
        assert said.startswith(fact.what.removesuffix("..."))
    else:
        assert said == fact.what


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_the_engine_says_so(fact: Fact) -> None:
    """devls reports of the same program what `says` names, and of one that torch runs as it was meant nothing."""
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/fact.py", IMPORTS + fact.code)
    analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/fact.py")
    assert {each.rule for each in analysis.diagnostics} == fact.says
    wrong = {each.rule for each in analysis.diagnostics if each.severity is Severity.ERROR}
    assert fact.raises or wrong <= WITHOUT_AN_EXCEPTION


def test_the_names_tell_them_apart() -> None:
    assert len({fact.name for fact in FACTS}) == len(FACTS) > 300


# Every claim has a fact that torch runs, and the engine answers, or a page or a test that speaks of it


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
    """A fact without a row is a fact all the same, but the table is about most of them."""
    held = "; ".join(row[2] for row in ROWS)
    assert sum(fact.name in held for fact in FACTS) > 0.7 * len(FACTS)
