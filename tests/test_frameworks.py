"""Where a framework owns the placement or the loop, nothing is reported that it takes care of: `frameworks.md`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checking import analyze
from devls.analysis import Severity

PAGE = Path(__file__).with_name("frameworks.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## (\w+)\n\n```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", PROGRAMS)
def test_quiet(name: str, tmp_path: Path) -> None:
    found = analyze({"program.py": PROGRAMS[name]}, tmp_path)["program.py"]
    assert [f"{each.rule}: {each.message}" for each in found if each.severity is not Severity.INFO] == []


def test_there_are_some() -> None:
    assert len(PROGRAMS) == 6


PLAIN = """
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 3)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters())
for x, y in [(torch.randn(4, 8), torch.randint(0, 3, (4,)))] * 3:
    loss = nn.functional.cross_entropy(model.net(x), y)
    loss.backward()
    optimizer.step()
"""


def test_the_same_without_a_framework_is_reported(tmp_path: Path) -> None:
    found = analyze({"plain.py": PLAIN}, tmp_path)["plain.py"]
    assert [each.rule for each in found] == ["missing-zero-grad"]
