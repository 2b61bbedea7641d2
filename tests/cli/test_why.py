"""`devls why FILE:LINE`: what was considered on a line, and what silenced it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

from devls.analysis import Analyzer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

PROGRAM = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x + torch.ones(3)


class Picked(torch.nn.Module):
    def forward(self, x, wanted):
        if not wanted:
            return torch.zeros(0)
        return x * 2
"""

ANALYZER = functools.partial(Analyzer, hovers=False)


def why(devls: Callable[..., Ran], line: int) -> Ran:
    Path("a.py").write_text(PROGRAM, encoding="utf-8")
    return devls("why", f"a.py:{line}", analyzer=ANALYZER)


def test_a_reported_finding_says_what_it_presumes(devls: Callable[..., Ran]) -> None:
    told = why(devls, 6)
    assert told.status == 0
    assert "a.py:6: tensor-created-off-device is reported, as likely." in told.out
    assert (
        "It presumes that an argument, or the module, is on an accelerator (argument-on-accelerator)."
        in told.out
    )


def test_a_silenced_finding_says_what_speaks_against_it(devls: Callable[..., Ran]) -> None:
    told = why(devls, 12)
    assert "a.py:12: result-off-device is not reported." in told.out
    assert (
        "Against it: without elements it stands for nothing: whoever gets it looks at its length first"
        in told.out
    )


def test_a_line_without_findings(devls: Callable[..., Ran]) -> None:
    assert why(devls, 1).out == "a.py:1: nothing was considered here.\n"


def test_a_place_without_a_line_is_refused(devls: Callable[..., Ran]) -> None:
    for place in ("a.py", "a.py:0", "a.py:x", ":3"):
        told = devls("why", place)
        assert told.status == 2
        assert "devls why FILE:LINE" in told.err


def test_a_file_that_is_not_there(devls: Callable[..., Ran]) -> None:
    told = devls("why", "none.py:1", analyzer=ANALYZER)
    assert told.status == 2
    assert "none.py is not checked" in told.err


def test_json_says_what_was_weighed(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(PROGRAM, encoding="utf-8")
    told = devls("--check", "--no-cache", "--output-format", "json", "a.py", analyzer=ANALYZER)
    (found,) = json.loads(told.out)
    says = "an argument, or the module, is on an accelerator"
    assert found["evidence"] == [{"id": "argument-on-accelerator", "says": says, "side": "for"}]
