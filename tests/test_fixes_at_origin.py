"""What a helper made is moved where the helper is called: it takes no `device` of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checking import analyze
from devls.text.edits import apply_edits

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import torch
from torch import nn


def initial(batch):
    return torch.zeros(batch, 4)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cell = nn.GRUCell(4, 4).to(device)
x = torch.randn(2, 4, device=device)
h = initial(2)
h = cell(x, h)
y = x + initial(2)
joined = torch.cat([x, initial(2)])
"""


def test_a_helper_is_given_no_device(tmp_path: Path) -> None:
    found = analyze({"example.py": PROGRAM}, tmp_path)["example.py"]
    assert found
    for each in found:
        for fix in each.fixes:
            text = apply_edits(PROGRAM, list(fix.edits))
            assert "initial(2, device" not in text, fix.title
