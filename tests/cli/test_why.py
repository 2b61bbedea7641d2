"""`devls why FILE:LINE` and `devls gradients FILE`: questions about one file."""

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


# `devls gradients` and `devls map`: which losses give gradients to which parameters


TRAINING = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.head, self.extra = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        with torch.no_grad():
            h = self.trunk(x)
        return self.head(h), self.extra(h)


def train(batches):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        out, _ = net(x)
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def other(w):
    w.sum().backward()


train([torch.randn(3, 4)])
"""


def asked(devls: Callable[..., Ran], *arguments: str) -> Ran:
    Path("a.py").write_text(TRAINING, encoding="utf-8")
    return devls(*arguments, analyzer=ANALYZER)


def test_a_table_says_who_gets_gradients_and_why_others_do_not(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "gradients", "a.py::train")
    assert told.status == 0
    assert told.out.splitlines() == [
        "a.py:23: loss.backward()",
        "    net.trunk  no   2 parameters  grad mode is off here, so no graph is recorded (line 12)",
        "    net.head   yes  2 parameters",
        "    net.extra  no   2 parameters  not used in this loss",
    ]


def test_json_has_each_parameter(devls: Callable[..., Ran]) -> None:
    told = json.loads(asked(devls, "gradients", "a.py::train", "--output-format", "json").out)
    assert [each["line"] for each in told] == [23]
    shown = {each["name"]: (each["gradient"], each["line"]) for each in told[0]["parameters"]}
    assert shown["net.head.weight"] == (True, None)
    assert shown["net.trunk.bias"] == (False, 12)


def test_a_map_has_an_edge_for_each_module(devls: Callable[..., Ran]) -> None:
    lines = asked(devls, "map", "a.py::train").out.splitlines()
    assert lines[0] == "flowchart LR"
    assert "    loss0 --> m1" in lines
    assert '    loss0 -. "not used in this loss" .-x m2' in lines


def test_a_map_can_be_written_to_a_file(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "map", "a.py", "--output", "map.mmd")
    assert (told.status, told.out) == (0, "")
    assert Path("map.mmd").read_text(encoding="utf-8").startswith("flowchart LR\n")


def test_a_name_that_is_not_there_is_an_error(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "gradients", "a.py::missing")
    assert told.status == 2
    assert "a.py defines no missing" in told.err
