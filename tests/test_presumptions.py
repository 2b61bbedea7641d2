"""The table of presumptions: each entry has a name, a sentence, an example that meets it, and is counted."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

from checking import write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.driver import assembly
from devls.engine.evidence.presumptions import Presumption, Side, entries
from devls.project.workspace import Workspace
from presumption_programs import Key, counted, key_of, programs

ENTRIES = entries()
TABLE = Path(__file__).parent.parent / "benchmarks" / "presumption_counts.md"
ROW = re.compile(r"\| (?P<id>[\w-]+) \| (?P<event>\w+) \| (?P<counts>\d.*) \|")


@functools.cache
def by_name() -> dict[str, dict[str, str]]:
    """The files of each program of this repository."""
    return {name: files for _, name, files in programs()}


def counts() -> dict[Key, list[int]]:
    """By entry: the programs that meet it, of each group."""
    rows = (ROW.fullmatch(line) for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {
        (row["event"], row["id"]): [int(cell.split(" / ")[0]) for cell in row["counts"].split(" | ")]
        for row in rows
        if row is not None
    }


def test_the_table_is_put_together() -> None:
    assert assembly.REGISTERED
    assert len({key_of(entry) for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: ".".join(key_of(entry)))
def test_an_entry_is_named_and_says_what_is_presumed(entry: Presumption) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", entry.id)
    assert entry.says.strip().rstrip(".") == entry.says
    assert not entry.says[0].isupper()
    assert (entry.weight < 0) is (entry.side is Side.AGAINST)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: ".".join(key_of(entry)))
def test_an_entry_is_seen_where_it_says(entry: Presumption) -> None:
    files = by_name()[entry.seen]
    assert key_of(entry) in counted(files).met


SPECS_ONLY = frozenset({"DevicesMixed.backward-makes-loss"})
"""Entries that nothing but a spec meets, which was written for them: of fragments, which neither the regression programs nor the packages are.
Any other is to be met elsewhere or removed."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: ".".join(key_of(entry)))
def test_an_entry_is_met_by_programs_that_were_not_written_for_it(entry: Presumption) -> None:
    """A row of zeros: remove the entry, or count again (`benchmarks/presumption_counts.py --packages FOLDER --write`)."""
    _specs, regression, packages = counts()[key_of(entry)]
    assert (regression + packages == 0) is (".".join(key_of(entry)) in SPECS_ONLY)


def test_what_only_specs_meet_is_still_there() -> None:
    assert {".".join(key_of(entry)) for entry in ENTRIES} >= SPECS_ONLY


# Findings that rest on more than one presumption are told to who asks for what is possible


_HEAD = "import torch\n\ndef placed(model, device):\n    return model.to(device)\n\n"
_BY_MODE = (
    "def by_mode(x: torch.Tensor, mode: str):\n"
    '    place = x * 2 if mode == "plain" else torch.ones(3)\n'
    "    return torch.stack([torch.zeros(3), place])\n"
)
_PLAIN = "def plain(x: torch.Tensor):\n    return torch.stack([torch.zeros(3), x * 2])\n"


@pytest.mark.parametrize(
    ("body", "asked", "told"),
    [
        (_BY_MODE, False, []),
        (_BY_MODE, True, ["possible"]),
        (_PLAIN, False, ["likely"]),
        (_PLAIN, True, ["likely"]),
    ],
)
def test_confidence(body: str, asked: bool, told: list[str], tmp_path: Path) -> None:
    write_files({"example.py": _HEAD + body}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _path: Config(show_possible=asked))
    found = analyzer.analyze(str(tmp_path / "example.py")).diagnostics
    assert [each.confidence for each in found if each.rule == "tensor-created-off-device"] == told


# An error that a notebook keeps as the output of a cell is there to be seen


def _cell(code: str, count: int, traceback: list[str] | None = None) -> dict[str, object]:
    error = {"output_type": "error", "ename": "RuntimeError", "evalue": "...", "traceback": traceback or []}
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": {},
        "source": code,
        "outputs": [] if traceback is None else [error],
    }


_MEETS = 'import torch\nx = torch.zeros(2, device="cuda")\nx + torch.ones(2)'
_TRACEBACK = [
    "\x1b[0;31mRuntimeError\x1b[0m  Traceback",
    "\x1b[0;32m----> 3\x1b[0m x \x1b[0;34m+\x1b[0m torch.ones(2)\n",
]


@pytest.mark.parametrize(
    ("cells", "level"),
    [
        ([_cell(_MEETS, 1, _TRACEBACK), _cell("x = x.cpu()", 2)], "info"),
        ([_cell(_MEETS, 1), _cell("x = x.cpu()", 2)], "error"),  # it keeps no error
        ([_cell(_MEETS, 1, _TRACEBACK)], "error"),  # nobody went on
        (
            [_cell(_MEETS, 1, ["----> 2 x = torch.zeros(2)"]), _cell("x = x.cpu()", 2)],
            "error",
        ),  # of another line
    ],
)
def test_an_error_that_is_shown(cells: list[object], level: str, tmp_path: Path) -> None:
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    write_files({"example.ipynb": text}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _path: Config())
    (found,) = analyzer.analyze(str(tmp_path / "example.ipynb")).diagnostics
    assert (found.rule, found.severity.value) == ("mixed-devices", level)
    assert ("raised-when-run" in [each.id for each in found.evidence]) is (level == "info")
