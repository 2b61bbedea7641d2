"""The verdicts on published packages have their fields and counts; the mistakes everybody makes once are reported, in several forms."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from checking import analyze, line_of
from devls.analysis import Severity
from devls.cli.pages import rule_names
from devls.text.edits import apply_edits
from forms import Form, read_forms
from pages import Block, Mark, read_page
from torch_programs import Outcome, Program, run_programs

if TYPE_CHECKING:
    from devls.analysis import Diagnostic


FOLDER = Path(__file__).parent / "corpus"
LINES = (FOLDER / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
VERDICTS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def test_each_pitfall_of_a_note_has_its_row() -> None:
    text = (Path(__file__).parent.parent / "docs" / "notes.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE))
    forms = {form.pitfall.partition(": ")[2]: form for form in FORMS if ": " in form.pitfall}
    for what, form in forms.items():
        assert rows[what].startswith("[") is not form.missed, what
    assert {what for what, answer in rows.items() if answer.startswith(("[", "not found"))} <= {*forms}


_TEXT = {"type": "string", "minLength": 1}
_READING = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}[a-z]$"}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "package": _TEXT,
        "version": {"anyOf": [_TEXT, {"type": "null"}]},
        "file": _TEXT,
        "line": {"type": "integer", "minimum": 1},
        "rule": {"enum": sorted(rule_names())},
        "level": {"enum": ["error", "warning", None]},
        "verdict": {"enum": ["true", "false", "worthless"]},
        "reason": _TEXT,
        "mended": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 1},
        "reading": _READING,
        "group": {"anyOf": [{"type": "string", "pattern": "^[A-Z]$"}, {"type": "null"}]},
        "date": _TEXT,
        "first_sight": {"type": "boolean"},
        "again": {"type": "array", "items": _READING, "uniqueItems": True},
    },
}
SCHEMA["required"] = list(SCHEMA["properties"])

_ROW = re.compile(
    r"^\| (?P<reading>\d{4}-\d{2}-\d{2}[a-z]) \| [^|]+ \| (?P<first>yes|no) \| (?P<all>\d+) \| (?P<true>\d+) \|",
    re.MULTILINE,
)
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
READINGS = {row["reading"]: row for row in _ROW.finditer(PAGE)}


def test_fields_are_those_of_the_schema() -> None:
    check = jsonschema.Draft202012Validator(SCHEMA)
    for number, verdict in enumerate(VERDICTS, 1):
        problems = [each.message for each in check.iter_errors(verdict)]
        assert not problems, f"verdicts.jsonl:{number}: {problems}"
        assert [*verdict] == SCHEMA["required"], f"verdicts.jsonl:{number}: fields are in another order"
        assert date.fromisoformat(verdict["date"]).isoformat() == verdict["reading"][:-1], number
        assert not PurePosixPath(verdict["file"]).is_absolute(), number
        assert not (verdict["mended"] and verdict["verdict"] == "true"), number
        assert all(later > verdict["reading"] for later in verdict["again"]), number


def test_fields_are_described() -> None:
    table = PAGE.partition("## Fields of a verdict")[2].partition("\n## ")[0]
    first = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert re.findall(r"`(\w+)`", first) == SCHEMA["required"]


def test_no_finding_has_two_verdicts_and_lines_are_in_order() -> None:
    places = [tuple(each[name] for name in ("package", "file", "line", "rule")) for each in VERDICTS]
    assert len(set(places)) == len(places)
    order = [(each["reading"], *place) for each, place in zip(VERDICTS, places, strict=True)]
    assert order == sorted(order)


@pytest.mark.parametrize("reading", READINGS)
def test_counts_of_the_page_are_those_of_the_verdicts(reading: str) -> None:
    first = [each for each in VERDICTS if each["reading"] == reading]
    again = [each for each in VERDICTS if reading in each["again"]]
    for name, right in (("all", ("true", "false", "worthless")), ("true", ("true",))):
        counted = sum(each["count"] for each in first if each["verdict"] in right)
        counted += sum(each["verdict"] in right for each in again)
        assert counted == int(READINGS[reading][name])
    assert {each["first_sight"] for each in first} == {READINGS[reading]["first"] == "yes"}
    assert f"\n## {reading}: " in PAGE


def test_every_reading_is_on_the_page() -> None:
    assert {each["reading"] for each in VERDICTS} <= {*READINGS}


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
    assert min(count for kind, count in counts.items() if ": " not in kind) >= 2, counts
