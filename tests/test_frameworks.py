"""Where a framework owns the placement or the loop, nothing is reported that it takes care of."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import analyze
from devls.analysis import Severity

PROGRAMS = sorted((Path(__file__).parent / "frameworks").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_quiet(program: Path, tmp_path: Path) -> None:
    found = analyze({program.name: program.read_text("utf-8")}, tmp_path)[program.name]
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
