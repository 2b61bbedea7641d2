"""Places that a finding shows beside its own, where the pages do not ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checking import analyze, line_of

if TYPE_CHECKING:
    from pathlib import Path

READ_BY_A_CALLER = """\
import torch
from torch import nn


def steered(x, table):
    return x * table.cos()


class Array(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.ones(3)

    def forward(self, x):
        table = self.table
        return steered(x, table)


def located(x, device):
    return Array().to(device)(x.to(device))
"""


def test_where_a_caller_reads_the_attribute(tmp_path: Path) -> None:
    found = analyze({"example.py": READ_BY_A_CALLER}, tmp_path)["example.py"]
    (finding,) = [each for each in found if each.rule == "unregistered-tensor"]
    lines = [line_of(READ_BY_A_CALLER, near.range.start) for near in finding.related]
    assert lines[0] == READ_BY_A_CALLER.split("\n").index("        table = self.table") + 1
    assert finding.related[0].message == "`self.table` is read here"
