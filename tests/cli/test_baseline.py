"""`--baseline`: only findings that are new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


@pytest.fixture
def new(devls: Callable[..., Ran]) -> Callable[..., list[str]]:
    """What is found besides the baseline, which holds what is found in `a.py` at first."""
    Path("a.py").write_text("bad\nx = bad\nstuck\n")
    wrote = devls("check", "--write-baseline", "base.json")
    assert (wrote.status, wrote.out) == (0, "")
    assert wrote.err == "devls: 3 findings written to base.json.\n"

    def call(text: str, *argv: str) -> list[str]:
        Path("a.py").write_text(text)
        ran = devls("check", "--baseline", "base.json", "--output-format", "concise", *argv)
        assert ran.status == (1 if ran.out else 0)
        return [line.partition(": ")[0] for line in ran.out.splitlines()]

    return call


def test_what_is_in_the_baseline_is_not_reported(new: Callable[..., list[str]]) -> None:
    assert new("bad\nx = bad\nstuck\n") == []


def test_edits_elsewhere_change_nothing(new: Callable[..., list[str]]) -> None:
    assert new("import x\n\nif x:\n    bad\n\nstuck\ny = 3 + bad\n") == []


def test_new_findings_are_reported(new: Callable[..., list[str]]) -> None:
    assert new("bad\nx = bad\nstuck\nbad\nbroken\n") == ["a.py:4:1", "a.py:5:1"]
    Path("b.py").write_text("bad\n")
    assert new("bad\n") == ["b.py:1:1"]


def test_a_finding_that_is_gone_is_said(devls: Callable[..., Ran], new: Callable[..., list[str]]) -> None:
    new("bad\n")
    ran = devls("check", "--baseline", "base.json")
    assert ran.status == 0
    assert ran.err.splitlines() == [
        "devls: 1 finding of base.json not reported.",
        "devls: 2 findings of it are gone; --write-baseline base.json forgets them.",
    ]
    Path("b.py").write_text("good\n")
    assert "gone" not in devls("check", "b.py", "--baseline", "base.json").err
    assert devls("check", "--baseline", "base.json", "--quiet").err == ""


def test_it_is_the_same_from_every_folder(devls: Callable[..., Ran]) -> None:
    Path("sub").mkdir()
    Path("sub/a.py").write_text("bad\n")
    devls("check", "--write-baseline", "base.json")
    assert devls("check", "a.py", "--baseline", "../base.json", here="sub").status == 0


def test_only_new_findings_are_fixed(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\n")
    devls("check", "--write-baseline", "base.json")
    Path("a.py").write_text("x.to(d)\ny.to(d)\n")
    assert devls("check", "--baseline", "base.json", "--fix").status == 0
    assert Path("a.py").read_text() == "x.to(d)\ny = y.to(d)\n"


def test_the_file_is_for_people_too(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\nbad\nstuck\n")
    devls("check", "--write-baseline", "base.json")
    found = json.loads(Path("base.json").read_text())
    assert found["version"] == 1
    assert [(each["filename"], each["code"], each["count"]) for each in found["findings"]] == [
        ("a.py", "mixed-devices", 2),
        ("a.py", "numpy-on-grad", 1),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "base.json is not used as a baseline: it does not exist; --write-baseline writes it."),
        ("", "base.json is not a baseline."),
        ("[]", "base.json is not a baseline."),
        ('{"version": 2}', "base.json is a baseline of another version of devls."),
        ('{"version": 1, "findings": [3]}', "base.json is not a baseline."),
    ],
)
def test_what_is_no_baseline(devls: Callable[..., Ran], text: str | None, says: str) -> None:
    Path("a.py").write_text("bad\n")
    if text is not None:
        Path("base.json").write_text(text)
    ran = devls("check", "--baseline", "base.json")
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def test_a_baseline_that_cannot_be_written(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    assert devls("check", "--write-baseline", "nowhere/base.json").status == 2
    assert devls("check", "--write-baseline", "base.json", "--fix").status == 2
